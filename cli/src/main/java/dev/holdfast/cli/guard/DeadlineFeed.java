package dev.holdfast.cli.guard;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;

/**
 * Tells the watchdog each new deadline of a lease. TERM goes out a grace time before the deadline and KILL at it, so that
 * nothing of the command is left when the lock may be somebody else's. A lease without a deadline gives a pulse instead.
 * Used by one thread.
 */
public final class DeadlineFeed {
    /** The engine renews at a third of the lease; this part of it is how late the watchdog may hear of that. */
    private static final int FEEDS_PER_LEASE = 20;

    /** The last part of what is left that a grace time may take; a grant that was just handed over is short at first. */
    private static final int GRACE_PART = 6;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);

    private final Lease lease;
    private final Watchdog watchdog;
    private final long leaseTicks;
    private final long graceTicks;
    private final Duration pause;
    private long toldTicks;

    public DeadlineFeed(Lease lease, Duration leaseTime, Duration grace, Watchdog watchdog) {
        this.lease = lease;
        this.watchdog = watchdog;
        this.leaseTicks = BootClock.ticks(leaseTime);
        this.graceTicks = BootClock.ticks(grace);
        this.pause = clamp(leaseTime.dividedBy(FEEDS_PER_LEASE));
    }

    /** {@return how long to wait until the next look at the lease} */
    public Duration pause() {
        return pause;
    }

    /** Tells the deadline if it has moved by as much as is worth a line. */
    public void feed() {
        tell(BootClock.ticks(pause));
    }

    /** Tells the deadline if it has moved at all. */
    public void feedNow() {
        tell(1);
    }

    /** The clock is read before the lease, so that the deadline can only come out too early. */
    private void tell(long leastProgress) {
        long now = BootClock.ticks();
        Duration remaining = lease.remaining();
        boolean endless = remaining.compareTo(LockOptions.LONGEST) > 0;
        long left = endless ? leaseTicks : BootClock.ticks(remaining);
        long deadline = now + left;
        if (remaining.isZero() || deadline - toldTicks < leastProgress) {
            return;
        }
        toldTicks = deadline;
        if (endless) {
            watchdog.pulse(deadline);
        } else {
            watchdog.until(deadline - Math.min(graceTicks, left / GRACE_PART), deadline);
        }
    }

    private static Duration clamp(Duration wanted) {
        if (wanted.compareTo(LONGEST_PAUSE) > 0) {
            return LONGEST_PAUSE;
        }
        return wanted.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : wanted;
    }
}
