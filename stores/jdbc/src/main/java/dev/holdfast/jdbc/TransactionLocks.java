package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.advisory.AdvisoryKey;
import dev.holdfast.jdbc.dialect.ConnectionSource;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.Schema;
import dev.holdfast.jdbc.dialect.TablePlace;
import dev.holdfast.jdbc.row.RowLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Objects;

/**
 * Locks that live and end with a transaction of the caller's own: nothing has to be released, and a lock cannot outlive
 * the changes that it protects. Made by {@link JdbcStore#onConnection}. There is no token and no lease, because the
 * database undoes the transaction when its connection is lost.
 *
 * <p>Used by the thread that uses the connection.
 */
public final class TransactionLocks {
    private final Connection connection;
    private final ConnectionSource source;
    private final Dialect dialect;
    private final Strategy strategy;
    private final Schema schema;

    TransactionLocks(Connection connection, ConnectionSource source, Strategy strategy, Schema schema) {
        this.connection = connection;
        this.source = source;
        this.strategy = strategy;
        this.schema = schema;
        try {
            this.dialect = Dialect.of(connection);
            if (connection.getAutoCommit()) {
                throw new IllegalStateException("the connection is in autocommit, so a lock would end at once;"
                        + " begin a transaction with setAutoCommit(false)");
            }
        } catch (SQLException failure) {
            throw Faults.translate("lock", "the transaction", failure);
        }
        if (strategy == Strategy.ADVISORY && dialect != Dialect.POSTGRESQL) {
            throw new StoreMisconfiguredException("only PostgreSQL has advisory locks that end with a transaction;"
                    + " use the strategy ROW on this database");
        }
    }

    /**
     * Waits for a lock, as long as the database lets a statement wait.
     *
     * @param name the lock
     * @throws IllegalStateException if the transaction has begun before the lock was used for the first time, and sees
     *     nothing newer
     * @throws HoldfastException if the database gives up, for instance because of a deadlock; roll back then
     */
    public void lock(String name) {
        take(name, "FOR UPDATE", "pg_advisory_xact_lock");
    }

    /**
     * Waits for a lock that others may hold at the same time in this way, but nobody exclusively.
     *
     * @param name the lock
     * @throws IllegalStateException if the transaction has begun before the lock was used for the first time, and sees
     *     nothing newer
     * @throws HoldfastException if the database gives up, for instance because of a deadlock; roll back then
     */
    public void lockShared(String name) {
        take(name, forShare(), "pg_advisory_xact_lock_shared");
    }

    /**
     * Takes a lock if nobody has it.
     *
     * @param name the lock
     * @return false if somebody has it; the transaction can be used further
     * @throws HoldfastException if the database fails
     */
    public boolean tryLock(String name) {
        return tryTake(name, "FOR UPDATE NOWAIT", "pg_try_advisory_xact_lock");
    }

    /**
     * Takes a shared lock if nobody has it exclusively.
     *
     * @param name the lock
     * @return false if somebody has it exclusively; the transaction can be used further
     * @throws HoldfastException if the database fails
     */
    public boolean tryLockShared(String name) {
        return tryTake(name, forShare() + " NOWAIT", "pg_try_advisory_xact_lock_shared");
    }

    private String forShare() {
        return strategy == Strategy.ROW ? new RowLock(dialect, schema.prefix()).forShare() : "";
    }

    private void take(String name, String rowClause, String advisoryCall) {
        Objects.requireNonNull(name, "name");
        try {
            if (strategy == Strategy.ADVISORY) {
                ask(advisoryCall, name);
            } else {
                makeRow(name);
                lockRow(name, rowClause);
            }
        } catch (SQLException failure) {
            throw Faults.translate("lock", name, failure);
        }
    }

    private boolean tryTake(String name, String rowClause, String advisoryCall) {
        Objects.requireNonNull(name, "name");
        try {
            return strategy == Strategy.ADVISORY ? ask(advisoryCall, name) : tryRow(name, rowClause);
        } catch (SQLException failure) {
            throw Faults.translate("lock", name, failure);
        }
    }

    /** On PostgreSQL a refused statement would spoil the transaction, so it is undone up to a savepoint. */
    private boolean tryRow(String name, String rowClause) throws SQLException {
        makeRow(name);
        Savepoint before = connection.setSavepoint();
        try {
            lockRow(name, rowClause);
            connection.releaseSavepoint(before);
            return true;
        } catch (SQLException refused) {
            connection.rollback(before);
            if (Faults.isTaken(refused)) {
                return false;
            }
            throw refused;
        }
    }

    private void lockRow(String name, String rowClause) throws SQLException {
        if (!new RowLock(dialect, schema.prefix()).select(connection, name, rowClause)) {
            throw new IllegalStateException(
                    "the row of the lock '" + name + "' is newer than what this transaction sees;"
                            + " take the lock at the beginning of the transaction, or use READ COMMITTED");
        }
    }

    /** The row is made over another connection: within the caller's transaction it would keep others waiting for it. */
    private void makeRow(String name) throws SQLException {
        try (Connection other = source.connect()) {
            boolean autoCommit = other.getAutoCommit();
            other.setAutoCommit(true);
            try {
                schema.ensure(dialect, other);
                new RowLock(dialect, schema.prefix()).prepare(other, name);
            } finally {
                other.setAutoCommit(autoCommit);
            }
        }
    }

    /** The server itself finds out where the tables are, because the caller's connection has a search path of its own. */
    private boolean ask(String function, String name) throws SQLException {
        String place = new TablePlace(dialect, schema.prefix()).expression();
        String query = "SELECT " + function + "(" + AdvisoryKey.expression(place, "CAST(? AS text)") + ")";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && Boolean.TRUE.equals(row.getObject(1));
            }
        }
    }
}
