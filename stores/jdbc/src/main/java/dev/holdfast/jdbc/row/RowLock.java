package dev.holdfast.jdbc.row;

import dev.holdfast.LockKind;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.session.BareLock;
import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Rows that are locked by a transaction which stays open while the lock is held. The row with slot 0 stands for the name:
 * whoever takes all of it locks the row exclusively, whoever takes a part locks it together with others. A semaphore has
 * further rows, one per permit, of which a claim locks as many as it asks for.
 *
 * @param dialect the dialect
 * @param prefix what tables begin with
 */
public record RowLock(Dialect dialect, String prefix) implements BareLock {
    /** A permit is a row, so there is a limit. */
    private static final int MOST_PERMITS = 1_000;

    private static final int WHOLE = 0;

    /** A row that is made and purged again before it can be locked is made anew, this often. */
    private static final int MOST_ATTEMPTS = 5;

    @Override
    public boolean shares() {
        return sharesOn(dialect);
    }

    @Override
    public boolean keepsTransaction() {
        return true;
    }

    /**
     * Tells whether a database can lock a row for several together.
     *
     * @param dialect its dialect
     * @return false for H2
     */
    public static boolean sharesOn(Dialect dialect) {
        return dialect != Dialect.H2;
    }

    /**
     * Tells how a row is locked together with others.
     *
     * @return the clause
     * @throws StoreMisconfiguredException if the database has none
     */
    public String forShare() {
        return switch (dialect) {
            case POSTGRESQL, MYSQL -> "FOR SHARE";
            case MARIADB -> "LOCK IN SHARE MODE";
            case H2 ->
                throw new StoreMisconfiguredException(
                        "H2 has no shared row locks; use exclusive ones on it," + " or strategy=lease");
        };
    }

    @Override
    public void prepare(Connection connection, List<Claim.Part> parts) throws SQLException {
        for (Claim.Part part : parts) {
            prepare(connection, part.name());
            if (part.kind() == LockKind.SEMAPHORE) {
                preparePermits(connection, part);
            }
        }
    }

    /**
     * Makes the row that stands for a name.
     *
     * @param connection in autocommit
     * @param name the name
     * @throws SQLException if the database fails
     */
    public void prepare(Connection connection, String name) throws SQLException {
        if (count(connection, name, WHOLE, WHOLE) == 0) {
            insert(connection, name, WHOLE);
        }
    }

    private void preparePermits(Connection connection, Claim.Part part) throws SQLException {
        if (part.capacity() > MOST_PERMITS) {
            throw new StoreMisconfiguredException("with strategy=row a semaphore has at most " + MOST_PERMITS
                    + " permits, because each is a row; use strategy=lease for '" + part.name() + "'");
        }
        if (count(connection, part.name(), 1, part.capacity()) < part.capacity()) {
            for (int slot = 1; slot <= part.capacity(); slot++) {
                if (count(connection, part.name(), slot, slot) == 0) {
                    insert(connection, part.name(), slot);
                }
            }
        }
    }

    private int count(Connection connection, String name, int first, int last) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT COUNT(*) FROM " + prefix + "row WHERE name = ? AND slot BETWEEN ? AND ?")) {
            dialect.bindName(statement, 1, name);
            statement.setInt(2, first);
            statement.setInt(3, last);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /**
     * Makes a row. On MySQL and MariaDB an insert waits for whoever has made and locked the row in this very moment, which
     * may be for as long as that lock is held; so its wait is cut short, and the next attempt finds the row.
     */
    private boolean insert(Connection connection, String name, int slot) throws SQLException {
        if (!dialect.isMySqlFamily()) {
            return insert(connection, name, slot, insertText(true));
        }
        execute(
                connection,
                "SET @holdfast_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1");
        try {
            return insert(connection, name, slot, insertText(true));
        } finally {
            execute(connection, "SET SESSION innodb_lock_wait_timeout = @holdfast_wait");
        }
    }

    private boolean insert(Connection connection, String name, int slot, String text) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            dialect.bindName(statement, 1, name);
            statement.setInt(2, slot);
            return statement.executeUpdate() > 0;
        } catch (SQLException failure) {
            if (Faults.kindOf(failure) == Faults.Kind.DUPLICATE) {
                return false;
            }
            throw failure;
        }
    }

    /** On MySQL and MariaDB a row that is there may be left alone, or locked. */
    private String insertText(boolean leaveAlone) {
        String table = prefix + "row";
        return switch (dialect) {
            case POSTGRESQL ->
                "INSERT INTO " + table + " (name, slot) VALUES (?, ?) ON CONFLICT (name, slot) DO NOTHING";
            case MARIADB, MYSQL ->
                leaveAlone
                        ? "INSERT IGNORE INTO " + table + " (name, slot) VALUES (?, ?)"
                        : "INSERT INTO " + table + " (name, slot) VALUES (?, ?) ON DUPLICATE KEY UPDATE slot = slot";
            case H2 -> "MERGE INTO " + table + " (name, slot) KEY (name, slot) VALUES (?, ?)";
        };
    }

    /**
     * Makes the row that stands for a name within the transaction of a connection, which locks it; waits for whoever makes
     * it in this moment.
     *
     * @param connection the connection
     * @param name the name
     * @return true if it is locked now; false if it is there and not locked
     * @throws SQLException if the database fails or gives up waiting
     */
    public boolean insertOrLock(Connection connection, String name) throws SQLException {
        boolean changed = insert(connection, name, WHOLE, insertText(false));
        return changed || dialect.isMySqlFamily();
    }

    /**
     * As {@link #insertOrLock}, but hardly waits: on PostgreSQL a millisecond, on MySQL and MariaDB a second.
     *
     * @param connection the connection, with a savepoint to go back to
     * @param name the name
     * @return as there
     * @throws SQLException if the database fails, or somebody else makes the row
     */
    public boolean insertAtOnce(Connection connection, String name) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            execute(connection, "SELECT set_config('holdfast.wait', current_setting('lock_timeout'), TRUE)");
            execute(connection, "SET LOCAL lock_timeout = 1");
            boolean made = insertOrLock(connection, name);
            execute(connection, "SELECT set_config('lock_timeout', current_setting('holdfast.wait'), TRUE)");
            return made;
        }
        if (!dialect.isMySqlFamily()) {
            return insertOrLock(connection, name);
        }
        execute(
                connection,
                "SET @holdfast_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1");
        try {
            return insertOrLock(connection, name);
        } finally {
            execute(connection, "SET SESSION innodb_lock_wait_timeout = @holdfast_wait");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A row that was purged since it was made is made again, while nothing is locked. */
    @Override
    public boolean tryLock(Connection connection, List<Claim.Part> parts, SessionListener listener)
            throws SQLException {
        for (int i = 1; ; i++) {
            Outcome outcome = tryOnce(connection, parts, listener);
            if (outcome != Outcome.AGAIN || i == MOST_ATTEMPTS) {
                return outcome == Outcome.LOCKED;
            }
            prepareAgain(connection, parts);
        }
    }

    /** The level is that of the pool, where a row that somebody makes or deletes at the same time may be a failure. */
    private void prepareAgain(Connection connection, List<Claim.Part> parts) throws SQLException {
        try {
            prepare(connection, parts);
        } catch (SQLException undone) {
            if (Faults.kindOf(undone) != Faults.Kind.RETRY) {
                throw undone;
            }
        }
    }

    /** What became of an attempt to lock rows; nothing is locked unless all are. */
    private enum Outcome {
        LOCKED,
        TAKEN,
        /** A row is missing, or the database has undone the attempt. */
        AGAIN
    }

    private Outcome tryOnce(Connection connection, List<Claim.Part> parts, SessionListener listener)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            begin(connection, listener);
            for (Claim.Part part : parts) {
                Outcome outcome = lock(connection, part);
                if (outcome != Outcome.LOCKED) {
                    unlock(connection, parts);
                    return outcome;
                }
            }
            return Outcome.LOCKED;
        } catch (SQLException refused) {
            unlock(connection, parts);
            if (Faults.isTaken(refused)) {
                return Outcome.TAKEN;
            }
            if (Faults.kindOf(refused) == Faults.Kind.RETRY) {
                return Outcome.AGAIN;
            }
            throw refused;
        }
    }

    /**
     * At a stricter level MySQL and MariaDB would also lock the gaps between rows, where other names have theirs. Which
     * session it is, is asked within the transaction: a pooler gives a connection one session for that long only.
     */
    private void begin(Connection connection, SessionListener listener) throws SQLException {
        if (dialect.isMySqlFamily()) {
            execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }
        try (Statement statement = connection.createStatement()) {
            boolean answered = statement.execute(dialect == Dialect.POSTGRESQL ? BEGIN_ON_POSTGRES : askSession());
            while (!answered && statement.getUpdateCount() >= 0) {
                answered = statement.getMoreResults();
            }
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                listener.locksIn(row.getLong(1), row.getLong(2));
            }
        }
    }

    private String askSession() {
        return "SELECT " + dialect.session() + ", 0";
    }

    /** Sent in one round trip. */
    private static final String BEGIN_ON_POSTGRES =
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0;"
                    + " SELECT pg_backend_pid(), CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT)";

    private Outcome lock(Connection connection, Claim.Part part) throws SQLException {
        boolean permits = part.kind() == LockKind.SEMAPHORE;
        String how = (part.exclusive() ? "FOR UPDATE" : forShare()) + " NOWAIT";
        if (!select(connection, part.name(), how)) {
            return Outcome.AGAIN;
        }
        boolean enough = !permits || part.exclusive() || lockPermits(connection, part);
        return enough ? Outcome.LOCKED : Outcome.TAKEN;
    }

    /** Takes whichever permits nobody has; too few are given back with the transaction. */
    private boolean lockPermits(Connection connection, Claim.Part part) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT slot FROM " + prefix
                + "row WHERE name = ? AND slot BETWEEN 1 AND ? ORDER BY slot LIMIT ? FOR UPDATE SKIP LOCKED")) {
            dialect.bindName(statement, 1, part.name());
            statement.setInt(2, part.capacity());
            statement.setInt(3, part.units());
            int locked = 0;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    locked++;
                }
            }
            return locked == part.units();
        }
    }

    /**
     * Locks the row that stands for a name, within the transaction of a connection.
     *
     * @param connection the connection
     * @param name the name
     * @param how the locking clause
     * @return false if there is no such row
     * @throws SQLException if it cannot be locked
     */
    public boolean select(Connection connection, String name, String how) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT name FROM " + prefix + "row WHERE name = ? AND slot = " + WHOLE + " " + how)) {
            dialect.bindName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public boolean unlock(Connection connection, List<Claim.Part> parts) throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
        return true;
    }
}
