package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A connection to PostgreSQL that listens on somebody else's channel. Used by one thread. */
final class Ear implements AutoCloseable {
    private static final int MILLIS = 30_000;

    /** What a client tells itself to find out whether it hears. */
    private static final String PROBE = "probe";

    private final Connection connection;
    private final Deque<String> heard = new ArrayDeque<>();

    private Ear(Connection connection) {
        this.connection = connection;
    }

    static Ear on(Connection connection, String channel) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + channel);
        }
        return new Ear(connection);
    }

    /** Waits for the next notification; empty text if there is none for long. */
    String next() throws SQLException {
        long until = System.nanoTime() + MILLIS * 1_000_000L;
        while (heard.isEmpty() && System.nanoTime() - until < 0) {
            PGNotification[] news = connection.unwrap(PGConnection.class).getNotifications(MILLIS);
            for (PGNotification each : news == null ? new PGNotification[0] : news) {
                if (!each.getParameter().equals(PROBE)) {
                    heard.add(each.getParameter());
                }
            }
        }
        return heard.isEmpty() ? "" : heard.remove();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
