package dev.holdfast.bench.ruler;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * The floor of locks in a table: one row is inserted and deleted by its primary key, each in autocommit on a connection
 * from a pool. It cannot wait, cannot expire and has no token.
 */
final class RowLocks implements Locks {
    private static final String INSERT = "INSERT INTO bench_row (name) VALUES (?)";
    private static final String DELETE = "DELETE FROM bench_row WHERE name = ?";

    private final HikariDataSource pool;

    RowLocks(String url) {
        pool = Pool.open(url);
    }

    @Override
    public Mutex mutex(String name) {
        return new Mutex() {
            @Override
            public void lock() {
                change(INSERT, name);
            }

            @Override
            public void unlock() {
                change(DELETE, name);
            }
        };
    }

    @Override
    public void close() {
        pool.close();
    }

    private void change(String sql, String name) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException("nothing was changed by " + sql);
            }
        } catch (SQLException failed) {
            throw new IllegalStateException("the floor cannot wait: " + sql, failed);
        }
    }
}
