package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.jdbc.dialect.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Guards data in a relational database with the fencing tokens of one lock: the largest token seen is kept beside the
 * data, and is checked and raised in the same transaction as the write. A holder whose time is over is refused, however
 * late its write comes, and changes nothing.
 *
 * <pre>{@code
 * JdbcFence fence = JdbcFence.column("account/42", "account", "id", 42, "fence");
 * try (Lease lease = locks.lock("account/42").acquire()) {
 *     fence.run(pool, lease, connection -> withdraw(connection, 42, 100));
 * }
 * }</pre>
 *
 * <p>The token is raised before the work reads anything, so that no earlier holder can change what was read. The row with
 * the token stays locked until the transaction ends; whoever else raises it waits. Everybody who writes the data must go
 * through such a fence. Give the pool itself, not a proxy of it that joins the caller's transaction. Immutable and
 * thread-safe.
 */
public final class JdbcFence {
    private static final int MOST_ATTEMPTS = 50;
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(30);
    private static final Duration MOST_PATIENCE = Duration.ofHours(1);
    private static final Set<String> TIMED_OUT = Set.of("57014", "70100", "HYT00");

    private final String lockName;
    private final TokenPlace place;
    private final Duration patience;

    private JdbcFence(String lockName, TokenPlace place, Duration patience) {
        this.lockName = Objects.requireNonNull(lockName, "lockName");
        this.place = place;
        this.patience = patience;
    }

    /**
     * Keeps the token in a column of the row that is guarded: {@code BIGINT}, null or 0 at first.
     *
     * @param lockName the lock whose tokens count
     * @param table the user's own table, perhaps with its schema
     * @param keyColumn identifies the row; unique
     * @param key the row's key; the row must be there
     * @param tokenColumn the column for the token, which nobody else writes
     * @return the guard of that row, and of everything that is only written together with it
     */
    public static JdbcFence column(String lockName, String table, String keyColumn, Object key, String tokenColumn) {
        return new JdbcFence(
                lockName,
                new TokenColumn(
                        Identifier.table(table),
                        Identifier.column(keyColumn),
                        Objects.requireNonNull(key, "key"),
                        Identifier.column(tokenColumn)),
                USUAL_PATIENCE);
    }

    /**
     * Keeps the token in a table of its own, one row per lock, for data that has no single row to put it in.
     *
     * @param lockName the lock whose tokens count
     * @param table made with {@link FenceTable}
     * @return the guard
     */
    public static JdbcFence sideTable(String lockName, FenceTable table) {
        return new JdbcFence(lockName, new TokenRow(table.name(), lockName), USUAL_PATIENCE);
    }

    /**
     * Changes how long to wait for another transaction that has raised the token and not ended yet; 30 seconds if nothing
     * is said. A holder that is paused within its transaction keeps its successors waiting until the database ends it.
     *
     * @param most a second to an hour; rounded up to whole seconds, and no less than the database's own limit where that
     *     cannot be shortened
     * @return a changed copy
     */
    public JdbcFence within(Duration most) {
        if (most.compareTo(Duration.ofSeconds(1)) < 0 || most.compareTo(MOST_PATIENCE) > 0) {
            throw new IllegalArgumentException("a fence waits a second to an hour, not " + most);
        }
        return new JdbcFence(lockName, place, most);
    }

    /**
     * Does work in a transaction of its own, in which the token is raised first.
     *
     * @param pool lends a connection
     * @param lease an exclusive lease of the lock
     * @param work runs once, or not at all
     * @param <X> what the work throws
     * @throws StaleTokenException if a larger token was seen; the work did not run and nothing was changed
     * @throws HoldfastException if another transaction kept the token's row locked for too long; nothing was changed
     * @throws StoreUnavailableException if the connection failed while committing, so that nobody knows the outcome
     * @throws SQLException if the database or the work failed otherwise; nothing was changed
     * @throws InterruptedException if interrupted before the work ran; nothing was changed
     * @throws X what the work threw; nothing was changed
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     */
    public <X extends Exception> void run(DataSource pool, Lease lease, SqlAction<X> work)
            throws SQLException, InterruptedException, X {
        call(pool, lease, connection -> {
            work.run(connection);
            return Boolean.TRUE;
        });
    }

    /**
     * As {@link #run}, with a result.
     *
     * @param pool lends a connection
     * @param lease an exclusive lease of the lock
     * @param work runs once, or not at all
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returned
     * @throws StaleTokenException if a larger token was seen; the work did not run and nothing was changed
     * @throws HoldfastException if another transaction kept the token's row locked for too long; nothing was changed
     * @throws StoreUnavailableException if the connection failed while committing, so that nobody knows the outcome
     * @throws SQLException if the database or the work failed otherwise; nothing was changed
     * @throws InterruptedException if interrupted before the work ran; nothing was changed
     * @throws X what the work threw; nothing was changed
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     */
    public <T, X extends Exception> T call(DataSource pool, Lease lease, SqlFunction<T, X> work)
            throws SQLException, InterruptedException, X {
        long token = tokenOf(lease);
        try (Borrowed transaction = begin(pool, token)) {
            T result = work.call(LentConnection.of(transaction.connection(), "fence"));
            transaction.commit("commit of a fenced write", lockName);
            return result;
        }
    }

    /**
     * Raises the token in the caller's own transaction, which has to be rolled back if this throws. Call it before the
     * transaction reads anything: at REPEATABLE READ it would otherwise go on seeing what was there before.
     *
     * @param connection with autocommit off
     * @param lease an exclusive lease of the lock
     * @throws StaleTokenException if a larger token was seen
     * @throws HoldfastException if another transaction kept the token's row locked for too long
     * @throws SQLException if the database failed; a deadlock or serialization failure means to begin again
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     * @throws IllegalStateException if autocommit is on, so that the check would end before the write begins
     */
    public void raise(Connection connection, Lease lease) throws SQLException {
        long token = tokenOf(lease);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "a token is raised in the transaction of the write that it guards: turn autocommit off first");
        }
        try {
            place.raise(connection, lockName, token, patience);
        } catch (SQLException failure) {
            throw orBusy(failure);
        }
    }

    /** Begins a transaction in which the token is raised. Nothing of the caller's has run, so this may be repeated. */
    private Borrowed begin(DataSource pool, long token) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            Borrowed transaction = Borrowed.from(pool);
            boolean raised = false;
            try {
                place.raise(transaction.connection(), lockName, token, patience);
                raised = true;
                return transaction;
            } catch (SQLException failure) {
                if (Faults.kindOf(failure) != Faults.Kind.RETRY) {
                    throw orBusy(failure);
                }
                if (attempt == MOST_ATTEMPTS || System.nanoTime() - begin > patience.toNanos()) {
                    throw busy(failure);
                }
            } finally {
                if (!raised) {
                    transaction.close();
                }
            }
            Pauses.after(attempt);
        }
    }

    private SQLException orBusy(SQLException failure) {
        boolean timedOut = failure instanceof SQLTimeoutException || TIMED_OUT.contains(failure.getSQLState());
        if (timedOut) {
            throw busy(failure);
        }
        return failure;
    }

    private HoldfastException busy(SQLException failure) {
        return new HoldfastException(
                "the token of lock '" + lockName + "' could not be raised within " + TokenPlace.seconds(patience)
                        + " s, because another transaction keeps its row locked; nothing was changed",
                Faults.cause(failure));
    }

    private long tokenOf(Lease lease) {
        if (!lease.isExclusive()) {
            throw new IllegalArgumentException(
                    "a fence takes exclusive leases only: the tokens of shared ones are not in order of their writes");
        }
        return lease.token(lockName);
    }
}
