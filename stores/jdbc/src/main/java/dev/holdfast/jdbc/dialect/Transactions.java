package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How a transaction begins and ends: at READ COMMITTED, and bounded in how long it may be idle, because a process that
 * is paused within one would keep everybody else from the lock's row.
 */
final class Transactions {
    private static final int KEEP = -1;

    /** The idle limit of a transaction. */
    private static final int MOST_IDLE_SECONDS = 2;

    /**
     * The idle limit of the store's own connections to MySQL and MariaDB between transactions: long enough that a
     * connection is not opened anew for every lock.
     */
    private static final int OWN_IDLE_SECONDS = 30;

    private Transactions() {}

    /** Sets up a connection that nobody else uses, once. */
    static void prepareOwn(Connection connection) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        if (dialect == Dialect.H2) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        } else if (dialect.isMySqlFamily()) {
            execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            execute(connection, "SET SESSION wait_timeout = " + OWN_IDLE_SECONDS);
            if (dialect == Dialect.MARIADB) {
                execute(connection, "SET SESSION idle_transaction_timeout = " + MOST_IDLE_SECONDS);
            }
        }
    }

    /** Begins; the answer has to be handed to {@link #end}. */
    static int begin(Dialect dialect, boolean shared, Connection connection) throws SQLException {
        int isolation = KEEP;
        if (dialect == Dialect.H2 && shared) {
            isolation = connection.getTransactionIsolation();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        if (dialect.isMySqlFamily() && shared) {
            execute(
                    connection,
                    "SET @holdfast_wait = @@SESSION.wait_timeout, SESSION wait_timeout = " + MOST_IDLE_SECONDS);
        } else if (dialect == Dialect.MYSQL) {
            // MySQL has one limit for everything that is idle; single statements in autocommit do without this.
            execute(connection, "SET SESSION wait_timeout = " + MOST_IDLE_SECONDS);
        }
        connection.setAutoCommit(false);
        if (dialect.isMySqlFamily() && shared) {
            execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        } else if (dialect == Dialect.POSTGRESQL) {
            execute(
                    connection,
                    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '"
                            + MOST_IDLE_SECONDS + "s'");
        }
        return isolation;
    }

    /** Commits or rolls back, and leaves the connection as it was. */
    static void end(Dialect dialect, boolean shared, Connection connection, int isolation) throws SQLException {
        connection.setAutoCommit(true);
        if (isolation != KEEP) {
            connection.setTransactionIsolation(isolation);
        }
        if (dialect.isMySqlFamily() && shared) {
            execute(connection, "SET SESSION wait_timeout = @holdfast_wait");
        } else if (dialect == Dialect.MYSQL) {
            execute(connection, "SET SESSION wait_timeout = " + OWN_IDLE_SECONDS);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
