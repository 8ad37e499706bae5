package dev.holdfast.jdbc.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The floor of epochs for MySQL and MariaDB, where a statement that writes and reads it would lock its row: one acquire
 * that waits, and somebody who wants to raise the floor, would keep everybody from every name. It is read by itself, and
 * now and then, because a floor is relied upon ten minutes after it was raised and not before. Thread-safe.
 */
final class Floor {
    private static final long LONGEST_KNOWN_NANOS = Duration.ofMinutes(1).toNanos();

    private final String query;
    private volatile Known known = new Known(0, System.nanoTime() - LONGEST_KNOWN_NANOS);

    private record Known(long epoch, long sinceNanos) {}

    Floor(LeaseSql sql) {
        this.query = sql.floor();
    }

    long read(Connection connection) throws SQLException {
        Known last = known;
        long now = System.nanoTime();
        if (now - last.sinceNanos < LONGEST_KNOWN_NANOS) {
            return last.epoch;
        }
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            long epoch = row.next() ? row.getLong(1) : 0;
            known = new Known(epoch, now);
            return epoch;
        }
    }
}
