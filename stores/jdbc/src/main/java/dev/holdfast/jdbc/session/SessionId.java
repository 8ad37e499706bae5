package dev.holdfast.jdbc.session;

import java.time.Duration;

/**
 * Which session of the database a connection has. A pooler gives numbers to others when a transaction is over, so a session
 * that keeps a lock by its transaction is told from its successors by when that transaction began.
 *
 * @param number the database's number of it
 * @param begun when its transaction began, in microseconds of the server's clock; 0 if the lock is one of the session
 *     itself, or the server does not tell
 * @param sinceNanos when this was heard, by {@link System#nanoTime}
 */
public record SessionId(long number, long begun, long sinceNanos) {
    /** {@return how long the session has lived at least, by which it is told from a later one with the same number} */
    Duration age() {
        // Clocks run at about the same speed.
        return Duration.ofNanos((System.nanoTime() - sinceNanos) / 100 * 99);
    }
}
