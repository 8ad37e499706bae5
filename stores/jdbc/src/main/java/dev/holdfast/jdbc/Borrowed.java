package dev.holdfast.jdbc;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.Visit;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A connection from the caller's pool with one transaction at READ COMMITTED on it. Closing it rolls back what was not
 * committed and gives the connection back as it came; one that cannot be put back into order is ended for good, so that
 * nobody gets it with a transaction or a lock of ours. Used by one thread.
 */
final class Borrowed implements AutoCloseable {
    private static final int SECONDS_TO_ANSWER = 5;

    private final Connection connection;
    private final boolean autoCommit;
    private final int isolation;
    private boolean committed;
    private boolean broken;

    private Borrowed(Connection connection, boolean autoCommit, int isolation) {
        this.connection = connection;
        this.autoCommit = autoCommit;
        this.isolation = isolation;
    }

    static Borrowed from(DataSource pool) throws SQLException {
        Connection connection = pool.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                // Some pools hand out connections on which somebody has begun to read: an old snapshot is of no use.
                connection.rollback();
            }
            int isolation = connection.getTransactionIsolation();
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            connection.setAutoCommit(false);
            return new Borrowed(connection, autoCommit, isolation);
        } catch (SQLException | RuntimeException unusable) {
            Visit.discard(connection);
            throw unusable;
        }
    }

    Connection connection() {
        return connection;
    }

    /**
     * Commits. Where the connection fails at that, nobody can tell whether it was done; an error that the server itself
     * answered with, and after which it goes on answering, means that it was not.
     *
     * @throws StoreUnavailableException if nobody can tell
     */
    void commit(String operation, String name) throws SQLException {
        try {
            connection.commit();
            committed = true;
        } catch (SQLException failure) {
            if (Faults.kindOf(failure) == Faults.Kind.UNREACHABLE || !isAnswering()) {
                broken = true;
                throw new StoreUnavailableException(operation, name, Faults.cause(failure));
            }
            throw failure;
        }
    }

    private boolean isAnswering() {
        try {
            connection.rollback();
            return connection.isValid(SECONDS_TO_ANSWER);
        } catch (SQLException | RuntimeException silent) {
            return false;
        }
    }

    /** To be called when something was left on the connection that cannot be undone. */
    void spoil() {
        broken = true;
    }

    boolean isBroken() {
        return broken;
    }

    /** Ends the transaction, if it was not committed. Never throws: a connection that refuses is discarded. */
    void rollback() {
        try {
            if (!committed && !broken) {
                connection.rollback();
            }
        } catch (SQLException | RuntimeException failure) {
            broken = true;
        }
    }

    @Override
    public void close() {
        rollback();
        if (broken) {
            Visit.discard(connection);
            return;
        }
        try {
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(isolation);
            }
            connection.setAutoCommit(autoCommit);
            connection.close();
        } catch (SQLException | RuntimeException unusable) {
            Visit.discard(connection);
        }
    }
}
