package dev.holdfast.spi;

/**
 * Relates the clock of one server to the client's, so that a pushed grant can be given a safe deadline.
 *
 * <p>An answered request bounds the relation: the server read its time after the request was sent. So a server time that
 * is d later happened at least d after that sending, less what the two clocks may drift apart over d (1 %). The newest
 * answer is kept, because drift grows with d; beyond ten minutes nothing is concluded. A bound that is later than now is
 * impossible: the server's clock was stepped forward between the answer and the push, so nothing is concluded from it.
 * Thread-safe.
 */
public final class ServerClock {
    private static final long LONGEST_REACH_NANOS = 600_000_000_000L;
    private static final int DRIFT_DIVISOR = 100;

    private final MonotonicClock clock;
    private volatile Sighting newest = new Sighting(StoreListener.UNKNOWN_ANCHOR, 0);

    /**
     * Makes a relation that knows nothing yet.
     *
     * @param clock the client's clock
     */
    public ServerClock(MonotonicClock clock) {
        this.clock = clock;
    }

    /**
     * Learns from an answered request.
     *
     * @param sentNanos the client's clock before the request was sent
     * @param serverNanos the server's time in its answer
     */
    public void answered(long sentNanos, long serverNanos) {
        if (sentNanos >= newest.sentNanos) {
            newest = new Sighting(sentNanos, serverNanos);
        }
    }

    /**
     * Bounds the moment of a push.
     *
     * @param serverNanos the server's time in the push
     * @return a reading of the client's clock that is not later than that moment, or
     *     {@link StoreListener#UNKNOWN_ANCHOR}
     */
    public long notLaterThan(long serverNanos) {
        Sighting seen = newest;
        long passed = serverNanos - seen.serverNanos;
        if (seen.sentNanos == StoreListener.UNKNOWN_ANCHOR || Math.abs(passed) > LONGEST_REACH_NANOS) {
            return StoreListener.UNKNOWN_ANCHOR;
        }
        long bound = seen.sentNanos + passed - Math.abs(passed) / DRIFT_DIVISOR;
        return bound < 0 || bound > clock.nanos() ? StoreListener.UNKNOWN_ANCHOR : bound;
    }

    private record Sighting(long sentNanos, long serverNanos) {}
}
