package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.advisory.AdvisoryKey;
import dev.holdfast.jdbc.dialect.ConnectionSource;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.Schema;
import dev.holdfast.jdbc.dialect.Servers;
import dev.holdfast.jdbc.dialect.TablePlace;
import dev.holdfast.jdbc.dialect.Versions;
import dev.holdfast.jdbc.row.RowLock;
import dev.holdfast.spi.LockName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;

/**
 * Locks that live and end with a transaction of the caller's own: nothing has to be released, and a lock cannot outlive
 * the changes that it protects. Made by {@link JdbcStore#onConnection}. There is no token and no lease, because the
 * database undoes the transaction when its connection is lost.
 *
 * <p>Used by the thread that uses the connection.
 */
public final class TransactionLocks {
    private static final String EXCLUSIVELY = "FOR UPDATE";

    /** A row that is made and purged again before it can be locked is made anew, this often. */
    private static final int MOST_ATTEMPTS = 5;

    /** How long tables that are missing may take to be made. */
    private static final Duration TIME_TO_CREATE = Duration.ofSeconds(30);

    private final Connection connection;
    private final ConnectionSource source;
    private final Dialect dialect;
    private final Strategy strategy;
    private final Schema schema;

    /** What is known of the database; shared with whatever else is made for the same source. */
    private final KnownDatabase known;

    TransactionLocks(Connection connection, ConnectionSource source, JdbcOptions options, KnownDatabase known) {
        this.connection = connection;
        this.source = source;
        this.strategy = options.strategy();
        this.schema = options.tables();
        this.known = known;
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException("the connection is in autocommit, so a lock would end at once;"
                        + " begin a transaction with setAutoCommit(false)");
            }
            if (known.isOneServer() || options.anyCluster()) {
                this.dialect = Dialect.of(connection);
                Versions.refuseOld(dialect, connection);
            } else {
                this.dialect = Servers.checked(connection, false);
                known.isAskedFor();
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
     * @param name 1 to 255 bytes of UTF-8 without control characters
     * @throws IllegalStateException if the transaction has begun before the lock was used for the first time, and sees
     *     nothing newer
     * @throws HoldfastException if the database gives up, for instance because of a deadlock; roll back then
     */
    public void lock(String name) {
        take(name, EXCLUSIVELY, "pg_advisory_xact_lock");
    }

    /**
     * Waits for a lock that others may hold at the same time in this way, but nobody exclusively. Only the first
     * transaction that uses a name with the strategy {@link Strategy#ROW} has it alone, because it makes the row.
     *
     * @param name 1 to 255 bytes of UTF-8 without control characters
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
     * @param name 1 to 255 bytes of UTF-8 without control characters
     * @return false if somebody has it; the transaction can be used further
     * @throws HoldfastException if the database fails
     */
    public boolean tryLock(String name) {
        return tryTake(name, EXCLUSIVELY + " NOWAIT", "pg_try_advisory_xact_lock");
    }

    /**
     * Takes a shared lock if nobody has it exclusively.
     *
     * @param name 1 to 255 bytes of UTF-8 without control characters
     * @return false if somebody has it exclusively; the transaction can be used further
     * @throws HoldfastException if the database fails
     */
    public boolean tryLockShared(String name) {
        return tryTake(name, forShare() + " NOWAIT", "pg_try_advisory_xact_lock_shared");
    }

    private String forShare() {
        return strategy == Strategy.ROW ? rows().forShare() : "";
    }

    private void take(String name, String rowClause, String advisoryCall) {
        LockName.check(name);
        try {
            if (strategy == Strategy.ADVISORY) {
                ask(advisoryCall, name);
            } else {
                onTables(() -> lockRow(name, rowClause));
            }
        } catch (SQLException failure) {
            throw translated(name, failure);
        }
    }

    /** PostgreSQL says in its own way that a row is newer than the transaction's snapshot. */
    private RuntimeException translated(String name, SQLException failure) {
        return dialect == Dialect.POSTGRESQL && "40001".equals(failure.getSQLState())
                ? newer(name)
                : Faults.translate("lock", name, failure);
    }

    private boolean tryTake(String name, String rowClause, String advisoryCall) {
        LockName.check(name);
        try {
            return strategy == Strategy.ADVISORY ? ask(advisoryCall, name) : tryRow(name, rowClause);
        } catch (SQLException failure) {
            throw translated(name, failure);
        }
    }

    /** On PostgreSQL a refused statement would spoil the transaction, so it is undone up to a savepoint. */
    private boolean tryRow(String name, String rowClause) throws SQLException {
        return onTables(() -> {
            Savepoint before = connection.setSavepoint();
            try {
                RowLock rows = rows();
                boolean locked = rows.select(connection, name, rowClause)
                        || rows.insertAtOnce(connection, name)
                        || rows.select(connection, name, rowClause);
                if (!locked) {
                    throw newer(name);
                }
                connection.releaseSavepoint(before);
                return true;
            } catch (SQLException refused) {
                // After a deadlock the database has undone the whole transaction, and the savepoint with it.
                if (Faults.isTaken(refused)) {
                    connection.rollback(before);
                    return false;
                }
                throw refused;
            }
        });
    }

    /**
     * Locks the row, or makes it, which locks it too, all within the caller's transaction: whoever keeps a connection of a
     * pool must not wait for another. On MySQL and MariaDB the row is made first, because to look for one that is not there
     * locks the gap in which others make theirs; neither form begins a snapshot, which would hide what the holder before
     * has written.
     */
    private boolean lockRow(String name, String rowClause) throws SQLException {
        RowLock rows = rows();
        if (dialect.isMySqlFamily() && rowClause.equals(EXCLUSIVELY)) {
            return rows.insertOrLock(connection, name);
        }
        for (int i = 0; i < MOST_ATTEMPTS; i++) {
            if (rows.select(connection, name, rowClause) || rows.insertOrLock(connection, name)) {
                return true;
            }
        }
        throw newer(name);
    }

    private static IllegalStateException newer(String name) {
        return new IllegalStateException("the row of the lock '" + name + "' is newer than what this transaction sees;"
                + " take the lock at the beginning of the transaction, or use READ COMMITTED");
    }

    private RowLock rows() {
        return new RowLock(dialect, schema.prefix());
    }

    /**
     * Does a step, and makes the tables first if there are none. That takes another connection, because it would end the
     * caller's transaction on most databases; but only the first time in the life of the database.
     */
    private boolean onTables(Step step) throws SQLException {
        String prefix = schema.prefix();
        if (dialect == Dialect.POSTGRESQL && !known.hasTables(prefix) && !schema.isVisible(connection)) {
            makeTables();
        }
        try {
            boolean done = step.run();
            known.hasTables(prefix, true);
            return done;
        } catch (SQLException failure) {
            boolean missing = Schema.isMissingTable(failure);
            if (missing) {
                known.hasTables(prefix, false);
            }
            if (dialect == Dialect.POSTGRESQL || !missing) {
                throw failure;
            }
            makeTables();
            return step.run();
        }
    }

    private void makeTables() throws SQLException {
        try (Connections others = new Connections(source, 1, TIME_TO_CREATE)) {
            others.with(other -> {
                schema.ensure(dialect, other);
                return true;
            });
        }
        known.hasTables(schema.prefix(), true);
    }

    /** A step in the caller's transaction. */
    private interface Step {
        boolean run() throws SQLException;
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
