package dev.holdfast.engine;

/**
 * What a gate has heard last of its lock: that it is taken, or that the store did not answer; and since when that is known to
 * be true. A waiter whose time is up is told it, unless it is older than the wait. Guarded by its gate.
 */
final class LastWord {
    private static final long NEVER = Long.MIN_VALUE;

    private long trueSinceNanos = NEVER;
    Refusal word = Refusal.TAKEN;

    void hear(Refusal news, long sinceNanos) {
        word = news;
        trueSinceNanos = sinceNanos;
    }

    /** Whatever was heard is out of date. */
    void forget() {
        trueSinceNanos = NEVER;
    }

    boolean isSince(long nanos) {
        return trueSinceNanos >= nanos;
    }
}
