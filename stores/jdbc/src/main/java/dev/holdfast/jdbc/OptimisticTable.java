package dev.holdfast.jdbc;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.Comparison.Target;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Changes rows without a lock: reads a row, computes new values, and writes them only if nobody has changed the row in
 * between; otherwise it begins again. Right where collisions are rare and the new values depend on that row alone.
 *
 * <pre>{@code
 * OptimisticTable accounts = OptimisticTable.byVersion("account", "id", "version");
 * accounts.update(pool, 42, row -> Map.of("balance", row.number("balance") - 100));
 * }</pre>
 *
 * <p>Everybody who writes the table must do it this way. Give the pool itself, not a proxy of it that joins the caller's
 * transaction. Immutable and thread-safe.
 */
public final class OptimisticTable {
    private static final int USUAL_ATTEMPTS = 20;
    private static final int MOST_ATTEMPTS = 1_000;

    private final String table;
    private final String keyColumn;
    private final Comparison comparison;
    private final int attempts;

    private OptimisticTable(String table, String keyColumn, Comparison comparison, int attempts) {
        this.table = table;
        this.keyColumn = keyColumn;
        this.comparison = comparison;
        this.attempts = attempts;
    }

    /**
     * Notices changes by a number that each change increases by one. The best choice for a new table.
     *
     * @param table perhaps with its schema
     * @param keyColumn identifies a row; unique
     * @param versionColumn a whole number, null or any at first, which nobody else writes
     * @return the table
     */
    public static OptimisticTable byVersion(String table, String keyColumn, String versionColumn) {
        return of(table, keyColumn, new VersionColumn(Identifier.column(versionColumn)));
    }

    /**
     * Notices changes by the time of the last one, for tables that have such a column already. A new time is always later
     * than the old one, even where the clock was set back or the column keeps only seconds.
     *
     * @param table perhaps with its schema
     * @param keyColumn identifies a row; unique
     * @param timestampColumn a timestamp, null or any at first, which nobody else writes
     * @return the table
     */
    public static OptimisticTable byTimestamp(String table, String keyColumn, String timestampColumn) {
        return of(table, keyColumn, new TimestampColumn(Identifier.column(timestampColumn)));
    }

    /**
     * Notices changes by the values themselves, for tables that cannot be altered. Whole numbers, decimals and texts
     * compare exactly; floating-point numbers do not. A value that was changed and changed back counts as unchanged.
     *
     * @param table perhaps with its schema
     * @param keyColumn identifies a row; unique
     * @param comparedColumns all columns that a change depends on, at least one
     * @return the table
     */
    public static OptimisticTable byValue(String table, String keyColumn, String... comparedColumns) {
        if (comparedColumns.length == 0) {
            throw new IllegalArgumentException("at least one column must be compared");
        }
        List<String> columns =
                Arrays.stream(comparedColumns).map(Identifier::column).toList();
        return of(table, keyColumn, new ComparedValues(columns));
    }

    private static OptimisticTable of(String table, String keyColumn, Comparison comparison) {
        return new OptimisticTable(Identifier.table(table), Identifier.column(keyColumn), comparison, USUAL_ATTEMPTS);
    }

    /**
     * Changes how often an update is tried; 20 times if nothing is said. Pauses in between are random and grow.
     *
     * @param most 1 to 1,000
     * @return a changed copy
     */
    public OptimisticTable withAttempts(int most) {
        if (most < 1 || most > MOST_ATTEMPTS) {
            throw new IllegalArgumentException("an update is tried 1 to " + MOST_ATTEMPTS + " times, not " + most);
        }
        return new OptimisticTable(table, keyColumn, comparison, most);
    }

    /**
     * Changes a row, in a transaction of its own, again and again until nobody interferes.
     *
     * @param pool lends a connection
     * @param key of the row
     * @param change computes new values by column from the row; may run more than once; no entry, no change
     * @return the row as it is now, or empty if there is none
     * @throws UpdateConflictException if somebody interfered each time; nothing was changed
     * @throws StoreUnavailableException if the connection failed while committing, so that nobody knows the outcome
     * @throws SQLException if the database failed otherwise; nothing was changed
     * @throws InterruptedException if interrupted between two attempts; nothing was changed
     */
    public Optional<Row> update(DataSource pool, Object key, Function<Row, ? extends Map<String, ?>> change)
            throws SQLException, InterruptedException {
        return retry(pool, connection -> attempt(connection, key, change), true);
    }

    /**
     * Changes a row within the caller's transaction, once: within one transaction a second attempt may see the same.
     *
     * @param connection with autocommit off
     * @param key of the row
     * @param change computes new values by column from the row
     * @return the row as it is now, or empty if there is none
     * @throws UpdateConflictException if somebody interfered; roll back and begin again
     * @throws SQLException if the database failed; a deadlock or serialization failure means to begin again
     */
    public Optional<Row> update(Connection connection, Object key, Function<Row, ? extends Map<String, ?>> change)
            throws SQLException {
        requireTransaction(connection);
        return attempt(connection, key, change).orElseThrow(() -> new UpdateConflictException(table, 1, null));
    }

    /**
     * Writes values if the row is still as it was read, perhaps by another program and some time ago.
     *
     * @param pool lends a connection
     * @param key of the row
     * @param expected what {@link Row#compared} said then, such as the version
     * @param values new values by column, at least one
     * @return what to expect the next time
     * @throws UpdateConflictException if it is not, or the row is gone; nothing was changed
     * @throws StoreUnavailableException if the connection failed while committing, so that nobody knows the outcome
     * @throws SQLException if the database failed otherwise; nothing was changed
     * @throws InterruptedException if interrupted between two attempts; nothing was changed
     */
    public Map<String, @Nullable Object> replace(
            DataSource pool, Object key, Map<String, ? extends @Nullable Object> expected, Map<String, ?> values)
            throws SQLException, InterruptedException {
        Map<String, @Nullable Object> compared = checkedExpectation(expected);
        Map<String, @Nullable Object> changes = checkedValues(values);
        if (changes.isEmpty()) {
            throw new IllegalArgumentException("there is nothing to write");
        }
        return retry(pool, connection -> comparison.write(connection, target(key), compared, changes), false);
    }

    /**
     * Reads a row.
     *
     * @param connection in whatever transaction
     * @param key of the row
     * @return the row, or empty if there is none
     * @throws SQLException if the database failed
     */
    public Optional<Row> read(Connection connection, Object key) throws SQLException {
        String sql = "SELECT " + table + ".*" + comparison.alsoRead(Dialect.of(connection)) + " FROM " + table
                + " WHERE " + keyColumn + " = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, Objects.requireNonNull(key, "key"));
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? Optional.of(row(result)) : Optional.empty();
            }
        }
    }

    /** One attempt; its outcome is empty if somebody interfered. */
    @FunctionalInterface
    private interface Attempt<T> {
        Optional<T> on(Connection connection) throws SQLException;
    }

    private <T> T retry(DataSource pool, Attempt<T> step, boolean alsoAfterConflict)
            throws SQLException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            @Nullable SQLException cause = null;
            try (Borrowed transaction = Borrowed.from(pool)) {
                Optional<T> outcome = step.on(transaction.connection());
                if (outcome.isPresent()) {
                    transaction.commit("commit of an optimistic update", table);
                    return outcome.get();
                }
            } catch (SQLException failure) {
                if (Faults.kindOf(failure) != Faults.Kind.RETRY) {
                    throw failure;
                }
                cause = failure;
            }
            if (attempt == attempts || (cause == null && !alsoAfterConflict)) {
                throw new UpdateConflictException(table, attempt, cause == null ? null : Faults.cause(cause));
            }
            Pauses.after(attempt);
        }
    }

    private Optional<Optional<Row>> attempt(
            Connection connection, Object key, Function<Row, ? extends Map<String, ?>> change) throws SQLException {
        Optional<Row> found = read(connection, key);
        if (found.isEmpty()) {
            return Optional.of(found);
        }
        Map<String, @Nullable Object> values = checkedValues(change.apply(found.get()));
        if (values.isEmpty()) {
            return Optional.of(found);
        }
        return comparison
                .write(connection, target(key), found.get().compared(), values)
                .map(now -> Optional.of(found.get().with(values, now)));
    }

    private Row row(ResultSet result) throws SQLException {
        ResultSetMetaData columns = result.getMetaData();
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            values.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), result.getObject(i));
        }
        Map<String, @Nullable Object> seen = comparison.seen(values);
        if (!values.keySet().containsAll(comparison.columns())) {
            throw new IllegalArgumentException(
                    "table " + table + " has no columns " + comparison.columns() + " but " + values.keySet());
        }
        return new Row(values, seen);
    }

    private Target target(Object key) {
        return new Target(table, keyColumn, Objects.requireNonNull(key, "key"));
    }

    private Map<String, @Nullable Object> checkedExpectation(Map<String, ? extends @Nullable Object> expected) {
        Map<String, @Nullable Object> checked = new LinkedHashMap<>();
        expected.forEach((name, value) -> checked.put(Identifier.column(name), value));
        Set<String> wanted = new HashSet<>(comparison.columns());
        if (!checked.keySet().equals(wanted)) {
            throw new IllegalArgumentException(
                    "what is compared is " + wanted + ", so exactly that must be expected, not " + checked.keySet());
        }
        return checked;
    }

    private Map<String, @Nullable Object> checkedValues(Map<String, ? extends @Nullable Object> values) {
        Map<String, @Nullable Object> checked = new LinkedHashMap<>();
        values.forEach((name, value) -> checked.put(Identifier.column(name), value));
        if (!comparison.isForCallers() && comparison.columns().stream().anyMatch(checked::containsKey)) {
            throw new IllegalArgumentException(
                    "column " + comparison.columns().get(0) + " is set by the update itself, not by the change");
        }
        return checked;
    }

    private static void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("there is no transaction to update in: turn autocommit off first");
        }
    }
}
