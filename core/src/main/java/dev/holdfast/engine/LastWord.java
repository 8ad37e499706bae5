package dev.holdfast.engine;

/**
 * What a gate has heard last of its lock, and when: that it is taken, or that the store did not answer. A waiter whose time
 * is up is told it, unless it is older than the wait. Guarded by its gate.
 */
final class LastWord {
    private static final long NEVER = Long.MIN_VALUE;

    private long heardNanos = NEVER;
    Refusal word = Refusal.TAKEN;

    void hear(Refusal news, long now) {
        word = news;
        heardNanos = now;
    }

    /** Whatever was heard is out of date. */
    void forget() {
        heardNanos = NEVER;
    }

    boolean isSince(long nanos) {
        return heardNanos >= nanos;
    }
}
