package dev.holdfast.jdbc.row;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.session.SessionLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;

/**
 * Rows that are locked by a transaction which stays open while the lock is held.
 *
 * @param dialect the dialect
 * @param prefix what tables begin with
 */
public record RowLock(Dialect dialect, String prefix) implements SessionLock {
    /** MySQL and MariaDB: a row is locked by somebody else, and the statement does not want to wait. */
    private static final int MYSQL_NOWAIT = 3572;

    @Override
    public void prepare(Connection connection, Collection<String> names) throws SQLException {
        String table = prefix + "row";
        String insert = switch (dialect) {
            case POSTGRESQL -> "INSERT INTO " + table + " (name) VALUES (?) ON CONFLICT (name) DO NOTHING";
            case MARIADB, MYSQL -> "INSERT IGNORE INTO " + table + " (name) VALUES (?)";
            case H2 -> "MERGE INTO " + table + " (name) KEY (name) VALUES (?)";
        };
        for (String name : names) {
            if (!isThere(connection, name)) {
                insert(connection, insert, name);
            }
        }
    }

    /**
     * Makes a row. On MySQL and MariaDB an insert waits for whoever has made and locked the row in this very moment, which
     * may be for as long as that lock is held; so its wait is cut short, and the next attempt finds the row.
     */
    private void insert(Connection connection, String insert, String name) throws SQLException {
        if (dialect.isMySqlFamily()) {
            execute(
                    connection,
                    "SET @holdfast_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1");
        }
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            dialect.bindName(statement, 1, name);
            statement.executeUpdate();
        } finally {
            if (dialect.isMySqlFamily()) {
                execute(connection, "SET SESSION innodb_lock_wait_timeout = @holdfast_wait");
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private boolean isThere(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM " + prefix + "row WHERE name = ?")) {
            dialect.bindName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public boolean tryLock(Connection connection, Collection<String> names) throws SQLException {
        connection.setAutoCommit(false);
        try {
            if (dialect == Dialect.POSTGRESQL) {
                execute(connection, "SET LOCAL idle_in_transaction_session_timeout = 0");
            }
            for (String name : names) {
                if (!select(connection, name, "FOR UPDATE NOWAIT")) {
                    throw new SQLException("the row to lock is missing", "42S02");
                }
            }
            return true;
        } catch (SQLException refused) {
            boolean taken = Faults.kindOf(refused) == Faults.Kind.RETRY || refused.getErrorCode() == MYSQL_NOWAIT;
            connection.rollback();
            connection.setAutoCommit(true);
            if (taken) {
                return false;
            }
            throw refused;
        }
    }

    /**
     * Locks one row within the transaction of a connection.
     *
     * @param connection the connection
     * @param name the name
     * @param how the locking clause
     * @return false if there is no such row
     * @throws SQLException if it cannot be locked
     */
    public boolean select(Connection connection, String name, String how) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT name FROM " + prefix + "row WHERE name = ? " + how)) {
            dialect.bindName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public void unlock(Connection connection, Collection<String> names) throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
    }
}
