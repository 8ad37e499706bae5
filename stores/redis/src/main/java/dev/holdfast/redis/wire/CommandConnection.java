package dev.holdfast.redis.wire;

import java.util.List;
import java.util.concurrent.TimeoutException;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** One connection for commands. Used by one thread at a time; only {@link #endIfOverdue} and {@link #cut} by others. */
final class CommandConnection {
    private static final long IDLE = Long.MIN_VALUE;

    private final ServerConnection line;
    private final String where;
    private boolean usedBefore;

    /** Since when an answer is awaited. */
    private volatile long awaitingSinceNanos = IDLE;

    private volatile boolean overdue;

    CommandConnection(ServerConnection line, String where) {
        this.line = line;
        this.where = where;
    }

    void carry(List<Exchange> together, long nowNanos, OverdueWatch watch) {
        boolean stale = usedBefore;
        usedBefore = true;
        awaitingSinceNanos = nowNanos;
        // In this order: the watch goes to sleep only after it has seen that nobody waits.
        watch.note();
        try {
            Exchange.carry(line, together);
        } catch (JedisConnectionException broken) {
            line.connection().setBroken();
            throw overdue
                    ? BrokenExchange.afterSending(
                            where + " did not answer in time", false, new TimeoutException("no answer in time"))
                    : BrokenExchange.afterSending("the connection to " + where + " broke", stale, broken);
        } catch (RuntimeException | Error unexpected) {
            line.connection().setBroken();
            throw unexpected;
        } finally {
            awaitingSinceNanos = IDLE;
        }
    }

    boolean isBroken() {
        return overdue || line.connection().isBroken();
    }

    /** Cuts the connection if its answer is overdue; tells whether one is awaited. */
    boolean endIfOverdue(long nowNanos, long limitNanos) {
        long since = awaitingSinceNanos;
        if (since == IDLE) {
            return false;
        }
        if (nowNanos - since > limitNanos) {
            overdue = true;
            cut();
        }
        return true;
    }

    void cut() {
        line.cut();
    }

    ServerConnection line() {
        return line;
    }
}
