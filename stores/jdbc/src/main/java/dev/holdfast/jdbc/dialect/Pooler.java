package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Notices a pooler between a client and PostgreSQL, such as PgBouncer, that may give every transaction another session: a
 * pooler cannot tell the number of a session when it greets, so the number that the driver was told and the one that the
 * server tells are different. The driver's interface is used by reflection, because drivers are the user's choice.
 */
public final class Pooler {
    private Pooler() {}

    /**
     * What the driver was told when it connected.
     *
     * @param driver the driver's own connection, below whatever a pool has wrapped around it
     * @param backend the number of the session
     */
    public record Greeting(Object driver, long backend) {}

    /**
     * Asks the driver what it was told.
     *
     * @param connection the connection
     * @return empty if it is of another driver, or hidden
     */
    public static Optional<Greeting> greetingOf(Connection connection) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try {
            Class<?> type = Class.forName(
                    "org.postgresql.PGConnection", true, loader != null ? loader : Pooler.class.getClassLoader());
            Object driver = connection.unwrap(type);
            if (!type.isInstance(driver)) {
                // Something in between has wrapped what it was asked to unwrap.
                return Optional.empty();
            }
            Object told = type.getMethod("getBackendPID").invoke(driver);
            return told instanceof Integer number ? Optional.of(new Greeting(driver, number)) : Optional.empty();
        } catch (SQLException | ReflectiveOperationException otherDriver) {
            return Optional.empty();
        }
    }

    /**
     * Tells whether there is certainly a pooler.
     *
     * @param connection to PostgreSQL
     * @return false if there is none, or nobody can tell
     * @throws SQLException if the server does not answer
     */
    public static boolean isBetween(Connection connection) throws SQLException {
        Optional<Greeting> greeting = greetingOf(connection);
        if (greeting.isEmpty()) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getLong(1) != greeting.get().backend();
        }
    }
}
