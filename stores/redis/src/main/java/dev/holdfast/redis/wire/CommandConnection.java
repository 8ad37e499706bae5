package dev.holdfast.redis.wire;

import java.util.List;
import java.util.concurrent.TimeoutException;

/** One connection for commands. Used by one thread at a time; only {@link #endIfOverdue} and {@link #cut} by others. */
final class CommandConnection {
    private static final long IDLE = Long.MIN_VALUE;

    private final ServerConnection line;
    private final String where;
    private final int era;

    /** When the last answer came; the server may have closed the connection since. */
    private long usedNanos;

    private boolean usedBefore;

    /** By when an answer has to be there. */
    private volatile long awaitedUntilNanos = IDLE;

    private volatile boolean overdue;
    private volatile boolean broken;

    CommandConnection(ServerConnection line, String where, int era) {
        this.line = line;
        this.where = where;
        this.era = era;
    }

    void carry(List<Exchange> together, long untilNanos, long nowNanos, OverdueWatch watch) {
        boolean stale = usedBefore;
        usedBefore = true;
        usedNanos = nowNanos;
        awaitedUntilNanos = untilNanos;
        // In this order: the watch goes to sleep only after it has seen that nobody waits.
        watch.note();
        try {
            Exchange.carry(line, together);
        } catch (BrokenConnection lost) {
            broken = true;
            throw overdue
                    ? BrokenExchange.afterSending(
                            where + " did not answer in time", false, new TimeoutException("no answer in time"))
                    : BrokenExchange.afterSending("the connection to " + where + " broke", stale, lost);
        } catch (RuntimeException | Error unexpected) {
            broken = true;
            throw unexpected;
        } finally {
            awaitedUntilNanos = IDLE;
        }
    }

    boolean isBroken() {
        return overdue || broken;
    }

    int era() {
        return era;
    }

    boolean isOverdue() {
        return overdue;
    }

    /** {@return whether nothing has come for so long that somebody in between may have forgotten the connection} */
    boolean isIdleSince(long nanos) {
        return usedBefore && usedNanos - nanos < 0;
    }

    /** Cuts the connection if its answer is overdue; tells whether one is awaited. */
    boolean endIfOverdue(long nowNanos) {
        long until = awaitedUntilNanos;
        if (until == IDLE) {
            return false;
        }
        if (nowNanos - until >= 0) {
            overdue = true;
            cut();
        }
        return true;
    }

    void cut() {
        line.cut();
    }

    String place() {
        return line.place();
    }
}
