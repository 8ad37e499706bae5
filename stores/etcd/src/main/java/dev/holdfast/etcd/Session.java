package dev.holdfast.etcd;

import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;

/**
 * One session: a lease of etcd, and until when it certainly lives. It begins alive, and ends once: when the cluster says
 * that the lease is over, or when its deadline has passed without a proof. Thread-safe.
 */
final class Session {
    private final long id;
    private final Duration timeout;
    private final MonotonicClock clock;

    /** When the last request was sent that is proved to have prolonged the lease; guarded by this object, like the next. */
    private long provenNanos;

    private boolean ended;

    private volatile Format format;

    /** The newest revision at which the offset was read; guarded by this object. */
    private long formatRevision;

    Session(long id, Duration timeout, long sentNanos, Format format, long formatRevision, MonotonicClock clock) {
        this.id = id;
        this.timeout = timeout;
        this.provenNanos = sentNanos;
        this.format = format;
        this.formatRevision = formatRevision;
        this.clock = clock;
    }

    long id() {
        return id;
    }

    /** How the engine knows it. */
    String name() {
        return Long.toHexString(id);
    }

    Duration timeout() {
        return timeout;
    }

    /** The offset as this client knows it. */
    Format format() {
        return format;
    }

    /**
     * The offset was read.
     *
     * @return false if it has become less. It never does, unless the keys were restored or changed by hand; then epochs
     *     would go back, so the session has to end
     */
    synchronized boolean saw(Format now, long atRevision) {
        if (atRevision < formatRevision) {
            return true;
        }
        if (now.offset() < format.offset()) {
            return false;
        }
        formatRevision = atRevision;
        format = now;
        return true;
    }

    /** A reading of the clock at which the lease certainly had its whole time. */
    synchronized long provenNanos() {
        return provenNanos;
    }

    /** The lease was prolonged by a request that was sent then. False if that comes too late to count. */
    synchronized boolean proved(long sentNanos) {
        if (!isAlive()) {
            return false;
        }
        provenNanos = Math.max(provenNanos, sentNanos);
        return true;
    }

    /** Whether the lease certainly lives. */
    synchronized boolean isAlive() {
        return !ended && clock.nanos() - provenNanos < timeout.toNanos();
    }

    /** What is left for a grant whose time is counted from a moment. */
    Duration validFor(long fromNanos, Duration lease) {
        Duration left = Duration.ofNanos(Math.max(0, provenNanos() + timeout.toNanos() - fromNanos));
        return left.compareTo(lease) < 0 ? left : lease;
    }

    /** It is over; true for the first who says so. */
    synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    synchronized boolean hasEnded() {
        return ended;
    }
}
