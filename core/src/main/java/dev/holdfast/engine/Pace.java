package dev.holdfast.engine;

import java.util.random.RandomGenerator;

/** How long to wait before the store is asked again; always with jitter, so that not everybody asks at once. */
final class Pace {
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final int MOST_DOUBLINGS = 7;
    private static final long SHORTEST_POLL_NANOS = 1_000_000;
    /** With its jitter less than five seconds: the longest that a waiter needs to find out after an outage. */
    private static final long LONGEST_POLL_NANOS = 4_000_000_000L;

    private static final int POLL_JITTER_DIVISOR = 10;
    private static final int RENEWAL_RETRIES_PER_LEASE = 20;
    private static final int RENEWAL_RETRIES_PER_REST = 4;

    private final RandomGenerator random;

    Pace(RandomGenerator random) {
        this.random = random;
    }

    /** For a waiting claim: the store's hint, within bounds, and a little more. */
    long pollDelay(long hintNanos) {
        long delay = Math.max(SHORTEST_POLL_NANOS, Math.min(LONGEST_POLL_NANOS, hintNanos));
        return delay + random.nextLong(delay / POLL_JITTER_DIVISOR + 1);
    }

    /** After a failure: doubles with each one, up to a few seconds. */
    long backoff(int failures) {
        return upTo(FIRST_BACKOFF_NANOS << Math.min(failures, MOST_DOUBLINGS));
    }

    /**
     * After a failed renewal: a small part of the lease, because every try counts, and of what is left of it. That may be
     * much less than the lease time, as after a hand-over, when the store gives a few seconds until the first renewal.
     */
    long renewalBackoff(Terms terms, long leftNanos) {
        long ofWhatIsLeft = Math.max(FIRST_BACKOFF_NANOS, leftNanos / RENEWAL_RETRIES_PER_REST);
        return upTo(
                Math.max(2, Math.min(terms.options.leaseTime().toNanos() / RENEWAL_RETRIES_PER_LEASE, ofWhatIsLeft)));
    }

    private long upTo(long longest) {
        return longest / 2 + random.nextLong(longest / 2);
    }
}
