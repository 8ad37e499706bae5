package dev.holdfast.engine;

/**
 * What it costs to pass a lock on to another client through this store, as far as this client has seen: the length of
 * turns and what counts as coming back quickly follow from it. Only speed depends on it, so threads may overwrite each
 * other's measurements. Thread-safe.
 */
final class HandOverCost {
    private static final long SHORTEST_TURN_NANOS = 2_000_000;
    private static final long LONGEST_TURN_NANOS = 20_000_000;
    private static final int COSTS_PER_TURN = 8;

    /** The release travels to the store and the grant to the next client, where two threads have to wake up. */
    private static final int ROUND_TRIPS_PER_HAND_OVER = 3;

    /** Code that has not run for long needs this much for what later takes microseconds. */
    private static final long LEAST_QUICK_NANOS = 500_000;

    private static final int WEIGHT = 8;

    private volatile long roundTripNanos = 100_000;
    private volatile long pollNanos;

    /** A release that was answered took so long. */
    void measured(long releaseNanos) {
        long average = roundTripNanos;
        roundTripNanos = average + (releaseNanos - average) / WEIGHT;
    }

    /** Waiters of this store ask again after so long, because it does not tell them. */
    void pollsEvery(long nanos) {
        pollNanos = nanos;
    }

    private long nanos() {
        return roundTripNanos * ROUND_TRIPS_PER_HAND_OVER + pollNanos / 2;
    }

    /** How long a client may keep using one grant while others wait. */
    long turnNanos() {
        return Math.max(SHORTEST_TURN_NANOS, Math.min(LONGEST_TURN_NANOS, COSTS_PER_TURN * nanos()));
    }

    /** A client that comes back within this time is worth waiting for; never one that would miss most of any turn. */
    long quickNanos() {
        return Math.min(LONGEST_TURN_NANOS / 2, Math.max(LEAST_QUICK_NANOS, nanos() / 2));
    }
}
