package dev.holdfast;

/** A fixed number of permits under one name. Thread-safe. */
public interface DistributedSemaphore {
    /** {@return how many permits there are in all} */
    int capacity();

    /**
     * Asks for a number of permits, taken and given back together.
     *
     * @param count from 1 to {@link #capacity()}
     * @return a lock that takes that many
     * @throws IllegalArgumentException if the count is out of range
     */
    DistributedLock permits(int count);
}
