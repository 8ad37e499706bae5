package dev.holdfast.cli.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The shop as one seller sees it: one article, its stock, and the orders. An order reads the stock, thinks (as real code
 * does when it calls the payment service), and writes what it has computed. Used by one thread.
 */
final class Shop implements AutoCloseable {
    /** What lies between reading and writing; a call to a service in the same building takes about this long. */
    static final Duration THINKING = Duration.ofMillis(2);

    private static final String STOCK = DemoDatabase.PREFIX + "stock";
    private static final String ORDERS = DemoDatabase.PREFIX + "order";

    static final List<String> TABLES = List.of("stock", "order", "lock_lock", "lock_claim", "lock_meta");
    static final List<String> CREATION = List.of(
            "CREATE TABLE " + STOCK + " (id INT NOT NULL PRIMARY KEY, amount INT NOT NULL, version BIGINT NOT NULL)",
            "CREATE TABLE " + ORDERS
                    + " (seller VARCHAR(40) NOT NULL, number INT NOT NULL, PRIMARY KEY (seller, number))",
            "INSERT INTO " + STOCK + " VALUES (1, 0, 0)");
    static final String CLEAR = "DELETE FROM " + ORDERS;
    static final String FILL = "UPDATE " + STOCK + " SET version = 0, amount = ";
    static final String SOLD = "SELECT COUNT(*) FROM " + ORDERS;
    static final String LEFT = "SELECT amount FROM " + STOCK + " WHERE id = 1";

    private static final String READ = "SELECT amount, version FROM " + STOCK + " WHERE id = 1";
    private static final String READ_AND_LOCK = READ + " FOR UPDATE";
    private static final String WRITE = "UPDATE " + STOCK + " SET amount = ? WHERE id = 1";
    private static final String WRITE_IF_VERSION =
            "UPDATE " + STOCK + " SET amount = ?, version = version + 1 WHERE id = 1 AND version = ?";
    private static final String WRITE_IF_AMOUNT = "UPDATE " + STOCK + " SET amount = ? WHERE id = 1 AND amount = ?";
    private static final String ORDER = "INSERT INTO " + ORDERS + " VALUES (?, ?)";

    private final Connection connection;
    private final String seller;
    private int orders;

    /** What became of an attempt to sell one. */
    enum Attempt {
        SOLD,
        CHANGED_MEANWHILE,
        SOLD_OUT
    }

    Shop(Connection connection, String seller) throws SQLException {
        this.connection = connection;
        this.seller = seller;
        connection.setAutoCommit(true);
    }

    /** As one writes it first. Right only if nobody else does the same meanwhile. */
    Attempt sell() throws SQLException {
        Stock stock = read(READ);
        if (stock.amount() <= 0) {
            return Attempt.SOLD_OUT;
        }
        think();
        connection.setAutoCommit(false);
        try {
            update(WRITE, stock.amount() - 1);
            order();
            connection.commit();
            return Attempt.SOLD;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** Writes only if the version is still the one that was read. */
    Attempt sellIfVersionIsUnchanged() throws SQLException {
        Stock stock = read(READ);
        return sellIf(stock, WRITE_IF_VERSION, stock.version());
    }

    /** Writes only if the stock is still the one that was read. */
    Attempt sellIfStockIsUnchanged() throws SQLException {
        Stock stock = read(READ);
        return sellIf(stock, WRITE_IF_AMOUNT, stock.amount());
    }

    /** Keeps the row locked from reading to writing. */
    Attempt sellWithRowLocked() throws SQLException {
        connection.setAutoCommit(false);
        try {
            Stock stock = read(READ_AND_LOCK);
            if (stock.amount() <= 0) {
                return Attempt.SOLD_OUT;
            }
            think();
            update(WRITE, stock.amount() - 1);
            order();
            connection.commit();
            return Attempt.SOLD;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    private Attempt sellIf(Stock stock, String sql, long condition) throws SQLException {
        if (stock.amount() <= 0) {
            return Attempt.SOLD_OUT;
        }
        think();
        connection.setAutoCommit(false);
        try {
            if (update(sql, stock.amount() - 1, condition) == 0) {
                return Attempt.CHANGED_MEANWHILE;
            }
            order();
            connection.commit();
            return Attempt.SOLD;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private record Stock(long amount, long version) {}

    private Stock read(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Stock(row.getLong(1), row.getLong(2));
        }
    }

    private int update(String sql, long... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setLong(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    private void order() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ORDER)) {
            statement.setString(1, seller);
            statement.setInt(2, orders);
            statement.executeUpdate();
        }
        orders++;
    }

    private static void think() {
        LockSupport.parkNanos(THINKING.toNanos());
    }
}
