package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;

/**
 * Connections that hold locks: a limited number, apart from those for single statements, so that held locks cannot keep
 * the store or the application from the database. Thread-safe.
 */
final class Dedicated implements AutoCloseable {
    private static final int ALIVE_SECONDS = 1;

    private final Connections connections;
    private final Semaphore share;
    private final int most;

    /** Connections of our own that hold nothing at the moment; guarded by its monitor. */
    private final Deque<Connection> idle = new ArrayDeque<>();

    private volatile boolean closed;

    Dedicated(Connections connections, int most) {
        this.connections = connections;
        this.share = new Semaphore(most);
        this.most = most;
    }

    /** All connections that may hold locks do so. */
    static final class SpentException extends SQLException {
        private static final long serialVersionUID = 1L;

        SpentException(int most) {
            super("all " + most + " connections that may hold locks are in use; release a lock or raise 'connections'");
        }
    }

    Connection take() throws SQLException {
        if (!share.tryAcquire()) {
            throw new SpentException(most);
        }
        boolean taken = false;
        try {
            Connection connection = open();
            taken = true;
            return connection;
        } finally {
            if (!taken) {
                share.release();
            }
        }
    }

    private Connection open() throws SQLException {
        while (true) {
            Connection known;
            synchronized (idle) {
                known = idle.poll();
            }
            if (known == null) {
                Connection fresh = connections.keep();
                fresh.setAutoCommit(true);
                limitSilence(fresh);
                return fresh;
            }
            if (isValid(known)) {
                return known;
            }
            close(known);
        }
    }

    private void limitSilence(Connection connection) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, connections.commandTimeoutMillis());
        } catch (java.sql.SQLFeatureNotSupportedException withoutNetwork) {
            // An embedded database answers or fails.
        }
    }

    void giveBack(Connection connection) {
        share.release();
        synchronized (idle) {
            if (!closed && !connections.isShared()) {
                idle.push(connection);
                return;
            }
        }
        try {
            connection.setNetworkTimeout(Runnable::run, 0);
            connection.close();
        } catch (SQLException broken) {
            close(connection);
        }
    }

    void discard(Connection connection) {
        share.release();
        close(connection);
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
            idle.forEach(Dedicated::close);
            idle.clear();
        }
    }

    private static boolean isValid(Connection connection) {
        try {
            return connection.isValid(ALIVE_SECONDS);
        } catch (SQLException broken) {
            return false;
        }
    }

    private static void close(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException beyondHelp) {
            // It is broken anyway.
        }
        try {
            connection.close();
        } catch (SQLException | RuntimeException beyondHelp) {
            // As above.
        }
    }
}
