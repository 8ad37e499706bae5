package dev.holdfast.jdbc.dialect;

import dev.holdfast.spi.StoreContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs work on a database and tells its failures in the store's terms. What the database itself has undone (deadlock,
 * serialization failure, lock wait) is repeated a few times with jitter. Thread-safe.
 */
public final class Database implements AutoCloseable {
    private static final int MOST_ATTEMPTS = 12;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int MOST_DOUBLINGS = 6;

    private final Connections connections;
    private final StoreContext context;

    /**
     * Makes it, without connecting.
     *
     * @param connections where to run work
     * @param context the client's surroundings
     */
    public Database(Connections connections, StoreContext context) {
        this.connections = connections;
        this.context = context;
    }

    /** {@return the connections below} */
    public Connections connections() {
        return connections;
    }

    /**
     * Runs a statement in autocommit.
     *
     * @param <R> what comes out
     * @param operation what it is, for messages
     * @param lockName which lock it concerns, for messages
     * @param work what to do; repeated as a whole
     * @return its result
     */
    public <R> R run(String operation, String lockName, Work<R> work) {
        return attempt(operation, lockName, () -> connections.with(work));
    }

    /**
     * Runs several statements in autocommit.
     *
     * @param <R> what comes out
     * @param operation what it is, for messages
     * @param lockName which lock it concerns, for messages
     * @param work what to do; repeated as a whole
     * @return its result
     */
    public <R> R runSeveral(String operation, String lockName, Work<R> work) {
        return attempt(operation, lockName, () -> connections.withSeveral(work));
    }

    /**
     * Runs statements in autocommit on the connection that is reserved for renewals.
     *
     * @param <R> what comes out
     * @param operation what it is, for messages
     * @param lockName which lock it concerns, for messages
     * @param work what to do; repeated as a whole
     * @return its result
     */
    public <R> R runReserved(String operation, String lockName, Work<R> work) {
        return attempt(operation, lockName, () -> connections.withReserved(work));
    }

    /**
     * Runs statements in one transaction at READ COMMITTED, so that each statement sees what was committed before it.
     *
     * @param <R> what comes out
     * @param dialect the dialect
     * @param operation what it is, for messages
     * @param lockName which lock it concerns, for messages
     * @param work what to do; repeated as a whole
     * @return its result
     */
    public <R> R transact(Dialect dialect, String operation, String lockName, Work<R> work) {
        return attempt(
                operation,
                lockName,
                () -> connections.withSeveral(connection -> inTransaction(dialect, connection, work)));
    }

    @Override
    public void close() {
        connections.close();
    }

    private <R> R inTransaction(Dialect dialect, Connection connection, Work<R> work) throws SQLException {
        boolean shared = connections.isShared();
        int isolation = Transactions.begin(dialect, shared, connection);
        try {
            R result = work.on(connection);
            Transactions.commit(dialect, shared, connection, isolation);
            return result;
        } catch (SQLException | RuntimeException failure) {
            try {
                Transactions.rollback(dialect, shared, connection, isolation);
            } catch (SQLException worse) {
                failure.addSuppressed(Faults.cause(worse));
                connection.abort(Runnable::run);
            }
            throw failure;
        }
    }

    private <R> R attempt(String operation, String lockName, Attempt<R> attempt) {
        long until = connections.budget().deadlineNanos();
        for (int tries = 1; ; tries++) {
            try {
                return attempt.run();
            } catch (SQLException failure) {
                Faults.Kind kind = Faults.kindOf(failure);
                boolean repeatable = kind == Faults.Kind.RETRY || kind == Faults.Kind.DUPLICATE;
                long most = FIRST_PAUSE_NANOS << Math.min(tries, MOST_DOUBLINGS);
                long pause = most / 2 + context.random().nextLong(most);
                if (!repeatable || tries == MOST_ATTEMPTS || System.nanoTime() + pause > until) {
                    throw Faults.translate(operation, lockName, failure);
                }
                LockSupport.parkNanos(pause);
            }
        }
    }

    /** Something to try. */
    private interface Attempt<R> {
        R run() throws SQLException;
    }
}
