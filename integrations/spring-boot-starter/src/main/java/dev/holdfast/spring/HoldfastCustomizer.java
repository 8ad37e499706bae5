package dev.holdfast.spring;

import dev.holdfast.HoldfastBuilder;

/** A bean that changes how the application's client is set up, after the properties have been applied. */
@FunctionalInterface
public interface HoldfastCustomizer {
    /**
     * Changes the set-up.
     *
     * @param builder the client's builder
     */
    void customize(HoldfastBuilder builder);
}
