package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Locks whole tables while work is done on them, for maintenance: {@code LOCK TABLE} on PostgreSQL, {@code LOCK TABLES} on
 * MySQL and MariaDB. There is nothing to unlock and so nothing to forget: the lock ends with the work, whether it returns,
 * throws, or loses its connection.
 *
 * <pre>{@code
 * TableLock.exclusive("orders", "order_line").run(pool, connection -> renumber(connection));
 * }</pre>
 *
 * <p>The work is one transaction, committed if it returns and rolled back if it throws. It has to use the connection that
 * it is given. On MySQL and MariaDB it sees only the tables that are locked, under their own names, and must not begin a
 * transaction or change a table's structure: either would end the lock. H2 has nothing of the kind, which is said by an
 * exception. Give the pool itself, not a proxy of it that joins the caller's transaction. Immutable and thread-safe.
 */
public final class TableLock {
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(30);
    private static final Duration MOST_PATIENCE = Duration.ofDays(1);

    private final List<String> tables;
    private final boolean shared;
    private final Duration patience;

    private TableLock(List<String> tables, boolean shared, Duration patience) {
        this.tables = tables;
        this.shared = shared;
        this.patience = patience;
    }

    /**
     * Keeps everybody else from reading and writing.
     *
     * @param table perhaps with its schema
     * @param more all that the work needs
     * @return the lock, not taken yet
     */
    public static TableLock exclusive(String table, String... more) {
        return of(false, table, more);
    }

    /**
     * Keeps everybody from writing; several may have such a lock at the same time.
     *
     * @param table perhaps with its schema
     * @param more all that the work needs
     * @return the lock, not taken yet
     */
    public static TableLock shared(String table, String... more) {
        return of(true, table, more);
    }

    /** In the order of their names, so that two who lock the same tables do not wait for each other. */
    private static TableLock of(boolean shared, String table, String... more) {
        TreeSet<String> sorted = Stream.concat(Stream.of(table), Stream.of(more))
                .map(Identifier::table)
                .collect(Collectors.toCollection(TreeSet::new));
        return new TableLock(List.copyOf(sorted), shared, USUAL_PATIENCE);
    }

    /**
     * Changes how long to wait for the lock; 30 seconds if nothing is said. MySQL and MariaDB count whole seconds. While it
     * is waited for, those who come later wait behind it.
     *
     * @param most more than zero, at most a day
     * @return a changed copy
     */
    public TableLock within(Duration most) {
        if (most.isNegative() || most.isZero() || most.compareTo(MOST_PATIENCE) > 0) {
            throw new IllegalArgumentException("a table lock is waited for at most a day, not " + most);
        }
        return new TableLock(tables, shared, most);
    }

    /**
     * Does work while the tables are locked.
     *
     * @param pool lends a connection
     * @param work runs once, or not at all
     * @param <X> what the work throws
     * @throws TableBusyException if others used the tables for too long; the work did not run
     * @throws StoreUnavailableException if the connection failed while committing, so that nobody knows the outcome
     * @throws HoldfastException if the database has no table locks
     * @throws SQLException if the database or the work failed otherwise; nothing was changed
     * @throws X what the work threw; nothing was changed
     */
    public <X extends Exception> void run(DataSource pool, SqlAction<X> work) throws SQLException, X {
        call(pool, connection -> {
            work.run(connection);
            return Boolean.TRUE;
        });
    }

    /**
     * As {@link #run}, with a result.
     *
     * @param pool lends a connection
     * @param work runs once, or not at all
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returned
     * @throws TableBusyException if others used the tables for too long; the work did not run
     * @throws StoreUnavailableException if the connection failed while committing, so that nobody knows the outcome
     * @throws HoldfastException if the database has no table locks
     * @throws SQLException if the database or the work failed otherwise; nothing was changed
     * @throws X what the work threw; nothing was changed
     */
    public <T, X extends Exception> T call(DataSource pool, SqlFunction<T, X> work) throws SQLException, X {
        try (Borrowed transaction = Borrowed.from(pool)) {
            Dialect dialect = Dialect.of(transaction.connection());
            return switch (dialect) {
                case POSTGRESQL -> inTransaction(transaction, work);
                case MARIADB, MYSQL -> inSession(transaction, work);
                case H2 ->
                    throw new HoldfastException(
                            "H2 has no table locks; take a lock of Holdfast around the work instead,"
                                    + " or SET EXCLUSIVE, which stops the whole database");
            };
        }
    }

    /** PostgreSQL: the lock is the transaction's, and ends with it in every case. */
    private <T, X extends Exception> T inTransaction(Borrowed transaction, SqlFunction<T, X> work)
            throws SQLException, X {
        Connection connection = transaction.connection();
        try {
            String before = setLimit(connection, Long.toString(patience.toMillis()));
            String mode = shared ? "SHARE" : "ACCESS EXCLUSIVE";
            execute(connection, "LOCK TABLE " + String.join(", ", tables) + " IN " + mode + " MODE");
            setLimit(connection, before);
        } catch (SQLException failure) {
            throw orBusy(failure);
        }
        return finish(transaction, work);
    }

    /**
     * MySQL and MariaDB: the lock is the session's. With autocommit off it goes together with a transaction, if that is not
     * begun by a statement: COMMIT and ROLLBACK leave the tables locked, and UNLOCK TABLES commits, so it comes last.
     */
    private <T, X extends Exception> T inSession(Borrowed transaction, SqlFunction<T, X> work) throws SQLException, X {
        Connection connection = transaction.connection();
        boolean orderly = false;
        try {
            lockInSession(connection);
            T result = finish(transaction, work);
            orderly = true;
            return result;
        } finally {
            unlockInSession(transaction, orderly);
        }
    }

    private void lockInSession(Connection connection) throws SQLException {
        String mode = shared ? " READ" : " WRITE";
        long seconds = Math.max(1, patience.plusMillis(999).toSeconds());
        execute(connection, "SET @holdfast_wait = @@SESSION.lock_wait_timeout, SESSION lock_wait_timeout = " + seconds);
        try {
            execute(connection, "LOCK TABLES " + String.join(mode + ", ", tables) + mode);
        } catch (SQLException failure) {
            throw orBusy(failure);
        }
    }

    /** A session that cannot be unlocked is ended, which unlocks it; nobody may get it from the pool. */
    private static void unlockInSession(Borrowed transaction, boolean committed) {
        if (!committed) {
            transaction.rollback();
        }
        if (transaction.isBroken()) {
            return;
        }
        try {
            execute(transaction.connection(), "UNLOCK TABLES");
            execute(transaction.connection(), "SET SESSION lock_wait_timeout = @holdfast_wait");
        } catch (SQLException | RuntimeException failure) {
            transaction.spoil();
        }
    }

    private <T, X extends Exception> T finish(Borrowed transaction, SqlFunction<T, X> work) throws SQLException, X {
        T result = work.call(LentConnection.of(transaction.connection(), "table lock"));
        transaction.commit("commit under a table lock", names());
        return result;
    }

    /** For this transaction only; the work gets the limit back that the session had before. */
    private static String setLimit(Connection connection, String limit) throws SQLException {
        String sql =
                "SELECT before, set_config('lock_timeout', ?, TRUE) FROM current_setting('lock_timeout') AS before";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, limit);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private SQLException orBusy(SQLException failure) {
        if (Faults.kindOf(failure) == Faults.Kind.RETRY) {
            throw new TableBusyException(names(), Faults.cause(failure));
        }
        return failure;
    }

    private String names() {
        return String.join(", ", tables);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
