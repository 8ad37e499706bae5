package dev.holdfast.spring.boot3;

import java.util.Map;

/** Looks whether the lock store can be relied on. */
@FunctionalInterface
public interface StoreCheck {
    /**
     * Looks.
     *
     * @return what it saw, if all is well
     * @throws Exception what is wrong
     */
    Map<String, Object> look() throws Exception;
}
