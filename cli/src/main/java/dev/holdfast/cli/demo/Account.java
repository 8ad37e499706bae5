package dev.holdfast.cli.demo;

import dev.holdfast.Lease;
import dev.holdfast.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * An account that two processes withdraw from: they read the balance, compute, and write it. With a guard, the token of
 * the lock is checked and raised in the same transaction, before the balance is read or written. Used by one thread.
 */
final class Account implements AutoCloseable {
    static final int BALANCE = 100;
    static final String LOCK = "demo/account";
    static final List<String> TABLES = List.of("account", "lock_lock", "lock_claim", "lock_meta");
    static final String CREATION = "CREATE TABLE " + DemoDatabase.PREFIX
            + "account (id INT NOT NULL PRIMARY KEY, balance INT NOT NULL, fence BIGINT)";
    static final String CLEAR = "DELETE FROM " + DemoDatabase.PREFIX + "account";
    static final String FILL = "INSERT INTO " + DemoDatabase.PREFIX + "account VALUES (1, " + BALANCE + ", NULL)";
    static final String LOOK = "SELECT balance FROM " + DemoDatabase.PREFIX + "account WHERE id = 1";

    private static final String WRITE = "UPDATE " + DemoDatabase.PREFIX + "account SET balance = ? WHERE id = 1";

    private final JdbcFence fence = JdbcFence.column(LOCK, DemoDatabase.PREFIX + "account", "id", 1, "fence");
    private final Connection connection;

    Account(Connection connection) {
        this.connection = connection;
    }

    int read() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOOK);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    void write(int balance) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
            statement.setInt(1, balance);
            statement.executeUpdate();
        }
    }

    int readGuarded(Lease lease) throws SQLException {
        connection.setAutoCommit(false);
        try {
            fence.raise(connection, lease);
            int balance = read();
            connection.commit();
            return balance;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    void writeGuarded(Lease lease, int balance) throws SQLException {
        connection.setAutoCommit(false);
        try {
            fence.raise(connection, lease);
            write(balance);
            connection.commit();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
