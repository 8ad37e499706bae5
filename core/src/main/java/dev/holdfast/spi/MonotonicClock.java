package dev.holdfast.spi;

/** A clock for intervals that never goes back. Thread-safe. */
@FunctionalInterface
public interface MonotonicClock {
    /** {@return nanoseconds since some fixed moment in the past; never negative} */
    long nanos();
}
