package dev.holdfast.bench.ruler;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The floor of advisory locks on PostgreSQL: the two functions, prepared, on one connection. It has no token, and who loses
 * the connection is not told. For one thread, because a session does not exclude itself.
 */
final class AdvisoryLocks implements Locks {
    private final Connection connection;
    private final PreparedStatement lock;
    private final PreparedStatement unlock;

    AdvisoryLocks(String url) {
        try {
            connection = DriverManager.getConnection(url);
            lock = connection.prepareStatement("SELECT pg_advisory_lock(?)");
            unlock = connection.prepareStatement("SELECT pg_advisory_unlock(?)");
        } catch (SQLException failed) {
            throw new IllegalStateException("there is no connection", failed);
        }
    }

    @Override
    public Mutex mutex(String name) {
        long key = name.hashCode();
        return new Mutex() {
            @Override
            public void lock() {
                call(lock, key);
            }

            @Override
            public void unlock() {
                call(unlock, key);
            }
        };
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failed) {
            throw new IllegalStateException("the connection cannot be closed", failed);
        }
    }

    private static void call(PreparedStatement function, long key) {
        try {
            function.setLong(1, key);
            try (ResultSet result = function.executeQuery()) {
                if (!result.next()) {
                    throw new IllegalStateException("no answer to " + function);
                }
            }
        } catch (SQLException failed) {
            throw new IllegalStateException("an advisory lock failed", failed);
        }
    }
}
