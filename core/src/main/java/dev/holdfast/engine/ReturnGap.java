package dev.holdfast.engine;

/**
 * How soon this client has been coming back for a lock after it gave it up: a moving average that one long absence
 * spoils for about eight returns. Guarded by its gate.
 */
final class ReturnGap {
    private static final long NEVER = -1;
    private static final long LONGEST_NANOS = 20_000_000;
    private static final int WEIGHT = 4;

    private long averageNanos = NEVER;
    private long gaveUpNanos = NEVER;

    /** The client has given the lock up, and nobody in it waits. */
    void gaveUp(long now) {
        gaveUpNanos = now;
    }

    /** The client asks for the lock again. */
    void returned(long now) {
        if (gaveUpNanos != NEVER) {
            // Whoever had asked before the lock was given up came at once.
            long gap = Math.max(0, Math.min(LONGEST_NANOS, now - gaveUpNanos));
            averageNanos = averageNanos == NEVER ? gap : averageNanos + (gap - averageNanos) / WEIGHT;
            gaveUpNanos = NEVER;
        }
    }

    /** How long to wait for the next return: twice the usual gap, or zero if that is not worth it. */
    long worthWaitingNanos(HandOverCost cost) {
        return averageNanos == NEVER || averageNanos > cost.quickNanos() ? 0 : 2 * averageNanos;
    }
}
