package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.concurrent.Executor;

/**
 * A connection in our hands: in autocommit and with a bound on how long it may be silent. What was changed is changed
 * back when it leaves, because in the user's pool somebody else uses it next. Used by one thread at a time.
 *
 * <p>The isolation level is set per transaction. A single statement in autocommit is right at every level: at a stricter
 * one it can only fail with a serialization failure, which is retried.
 */
public final class Visit {
    private static final Executor DIRECT = Runnable::run;
    private static final int UNSUPPORTED = -1;

    private final Connection connection;
    private final boolean autoCommit;
    private final int silenceMillis;
    private final Executor aside;
    private int limitMillis;
    private long idleSinceNanos;

    private Visit(Connection connection, boolean autoCommit, int silenceMillis, int limitMillis, Executor aside) {
        this.connection = connection;
        this.aside = aside;
        this.autoCommit = autoCommit;
        this.silenceMillis = silenceMillis;
        this.limitMillis = limitMillis;
        this.idleSinceNanos = System.nanoTime();
    }

    /**
     * Takes a connection.
     *
     * @param aside closes it for good, where that may take long
     */
    static Visit begin(Connection connection, int commandTimeoutMillis, Executor aside) throws SQLException {
        try {
            // First of all: whatever asks the server on a connection that has died in silence would wait for ever.
            int before = limitSilence(connection, commandTimeoutMillis);
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                // Turning autocommit on would commit whatever somebody has left on the connection.
                connection.rollback();
                connection.setAutoCommit(true);
            }
            return new Visit(connection, autoCommit, before, commandTimeoutMillis, aside);
        } catch (SQLException | RuntimeException unusable) {
            discard(connection);
            throw unusable;
        }
    }

    private static int limitSilence(Connection connection, int millis) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(DIRECT, millis);
            return before;
        } catch (SQLFeatureNotSupportedException withoutNetwork) {
            return UNSUPPORTED;
        }
    }

    /**
     * Changes how long the connection may be silent from now on.
     *
     * @param millis the limit
     * @throws SQLException if the connection is closed
     */
    public void limitSilence(int millis) throws SQLException {
        if (silenceMillis != UNSUPPORTED && millis != limitMillis) {
            connection.setNetworkTimeout(DIRECT, millis);
            limitMillis = millis;
        }
    }

    /** Asks for a sign of life; without one the connection is of no use any more. */
    boolean answers(int withinMillis) {
        try (Statement statement = connection.createStatement()) {
            limitSilence(withinMillis);
            return statement.execute("SELECT 1");
        } catch (SQLException | RuntimeException broken) {
            return false;
        }
    }

    /**
     * Gives the connection back as it came; one that cannot be put back into order is closed for good. The bound on silence
     * is put back last, because everything before it may ask the server.
     */
    public void end() {
        try {
            if (connection.getAutoCommit() != autoCommit) {
                connection.setAutoCommit(autoCommit);
            }
            if (silenceMillis != UNSUPPORTED) {
                connection.setNetworkTimeout(DIRECT, silenceMillis);
            }
            connection.close();
        } catch (SQLException | RuntimeException unusable) {
            discard(connection);
        }
    }

    /** Closes the connection for good, without waiting for a pool that puts another in its place. */
    public void discard() {
        aside.execute(() -> discard(connection));
    }

    boolean isClosed() {
        try {
            return connection.isClosed();
        } catch (SQLException | RuntimeException unusable) {
            return true;
        }
    }

    /** {@return the connection, in autocommit} */
    public Connection connection() {
        return connection;
    }

    void idleSince(long nowNanos) {
        idleSinceNanos = nowNanos;
    }

    long idleSince() {
        return idleSinceNanos;
    }

    /**
     * Closes a connection for good. Aborting first tells a pool not to hand it out again.
     *
     * @param connection the connection
     */
    public static void discard(Connection connection) {
        try {
            connection.abort(DIRECT);
        } catch (SQLException | RuntimeException | AbstractMethodError beyondHelp) {
            // Nothing can be done about a connection that is broken anyway; closing it follows.
        }
        try {
            connection.close();
        } catch (SQLException | RuntimeException beyondHelp) {
            // As above.
        }
    }
}
