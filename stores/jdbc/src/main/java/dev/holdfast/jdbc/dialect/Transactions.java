package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How a transaction begins and ends: at READ COMMITTED, and bounded in how long it may be idle, because a process that
 * is paused within one would keep everybody else from the lock's row. Every step is one round trip at most, because on a
 * slow network a transaction has to fit a command timeout. So on MySQL and MariaDB one SET does all there is to do: it
 * begins by turning autocommit off and commits by turning it on, behind the driver's back, who finds it as it was.
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
        // What is set below is not known to old servers either.
        Versions.refuseOld(dialect, connection);
        if (dialect == Dialect.H2) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        } else if (dialect.isMySqlFamily()) {
            String idle = dialect == Dialect.MARIADB ? ", SESSION idle_transaction_timeout = " + MOST_IDLE_SECONDS : "";
            execute(
                    connection,
                    "SET SESSION " + isolation(dialect) + ", SESSION wait_timeout = " + OWN_IDLE_SECONDS + idle);
        }
    }

    /** Begins; the answer has to be handed to {@link #commit} or {@link #rollback}. */
    static int begin(Dialect dialect, boolean shared, Connection connection) throws SQLException {
        int isolation = KEEP;
        switch (dialect) {
            case H2 -> {
                if (shared) {
                    isolation = connection.getTransactionIsolation();
                    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                }
                connection.setAutoCommit(false);
            }
            case POSTGRESQL -> {
                connection.setAutoCommit(false);
                execute(
                        connection,
                        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
                                + " SET LOCAL idle_in_transaction_session_timeout = '" + MOST_IDLE_SECONDS + "s'");
            }
            case MARIADB, MYSQL -> execute(connection, beginOnMySql(dialect, shared));
        }
        return isolation;
    }

    /** MySQL has one limit for everything that is idle; single statements in autocommit do without it. */
    private static String beginOnMySql(Dialect dialect, boolean shared) {
        String off = "SESSION autocommit = 0";
        if (shared) {
            // Without the word SESSION the level is that of the next transaction only.
            return "SET @@" + isolation(dialect) + ", @holdfast_wait = @@SESSION.wait_timeout, SESSION wait_timeout = "
                    + MOST_IDLE_SECONDS + ", " + off;
        }
        return dialect == Dialect.MYSQL ? "SET SESSION wait_timeout = " + MOST_IDLE_SECONDS + ", " + off : "SET " + off;
    }

    /** MariaDB knew only the older name for long. */
    private static String isolation(Dialect dialect) {
        return (dialect == Dialect.MARIADB ? "tx_isolation" : "transaction_isolation") + " = 'READ-COMMITTED'";
    }

    /** Commits, and leaves the connection as it was. */
    static void commit(Dialect dialect, boolean shared, Connection connection, int isolation) throws SQLException {
        if (!dialect.isMySqlFamily()) {
            connection.commit();
        }
        end(dialect, shared, connection, isolation);
    }

    /** Rolls back, and leaves the connection as it was. */
    static void rollback(Dialect dialect, boolean shared, Connection connection, int isolation) throws SQLException {
        if (dialect.isMySqlFamily()) {
            execute(connection, "ROLLBACK");
        } else {
            connection.rollback();
        }
        end(dialect, shared, connection, isolation);
    }

    private static void end(Dialect dialect, boolean shared, Connection connection, int isolation) throws SQLException {
        if (dialect.isMySqlFamily()) {
            String on = "SET SESSION autocommit = 1";
            String wait = shared ? "@holdfast_wait" : Integer.toString(OWN_IDLE_SECONDS);
            execute(connection, shared || dialect == Dialect.MYSQL ? on + ", SESSION wait_timeout = " + wait : on);
            return;
        }
        connection.setAutoCommit(true);
        if (isolation != KEEP) {
            connection.setTransactionIsolation(isolation);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
