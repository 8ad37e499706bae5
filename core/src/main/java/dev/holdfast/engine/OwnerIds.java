package dev.holdfast.engine;

import dev.holdfast.spi.OwnerId;
import java.util.function.Supplier;

/** A source of owner ids that has some in stock for most of the time. Thread-safe. */
public interface OwnerIds extends Supplier<OwnerId> {
    /**
     * Tells whether the next id is most likely there at once, and need not be drawn before a gate is entered.
     *
     * @param nowNanos the time by the client's clock
     * @return false if drawing it may take time
     */
    boolean isStocked(long nowNanos);
}
