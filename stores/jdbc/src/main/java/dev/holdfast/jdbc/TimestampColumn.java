package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time of the last change by the database's clock. Two changes within one tick of the clock, or after it was set
 * back, would get the same or an earlier time and hide from each other, so a new time is always later than the old one,
 * if need be ahead of the clock. Times are compared as the database writes them, because drivers convert them between
 * time zones and some of that cannot be undone.
 */
record TimestampColumn(String column) implements Comparison {
    private static final String STAMP = "holdfast_stamp";

    /** By how much a time must grow to be another one in a column of microseconds, milliseconds, seconds. */
    private static final List<Integer> STEPS_MICROS = List.of(1, 1_000, 1_000_000);

    @Override
    public List<String> columns() {
        return List.of(column);
    }

    @Override
    public boolean isForCallers() {
        return false;
    }

    @Override
    public String alsoRead(Dialect dialect) {
        return ", " + text(dialect) + " AS " + STAMP;
    }

    @Override
    public Map<String, @Nullable Object> seen(Map<String, @Nullable Object> read) {
        Object stamp = read.remove(STAMP);
        read.put(column, stamp);
        return Collections.singletonMap(column, stamp);
    }

    @Override
    public Optional<Map<String, @Nullable Object>> write(
            Connection connection,
            Target target,
            Map<String, @Nullable Object> expected,
            Map<String, @Nullable Object> values)
            throws SQLException {
        Dialect dialect = Dialect.of(connection);
        Object old = expected.get(column);
        for (int step : STEPS_MICROS) {
            List<String> assignments = new ArrayList<>();
            values.keySet().forEach(name -> assignments.add(name + " = ?"));
            assignments.add(column + " = " + later(dialect, step));
            int rows = target.update(
                    connection, assignments, Clause.equal(text(dialect), old), new ArrayList<>(values.values()));
            Optional<Map<String, @Nullable Object>> now = look(connection, dialect, target);
            if (now.isEmpty() || !Objects.equals(now.get().get(column), old)) {
                return rows == 1 ? now : Optional.empty();
            }
            // The row is still as expected: the step was too small for the column. A driver that counts only rows that
            // were really changed has counted none then, so the count cannot tell.
        }
        throw new HoldfastException("column " + column + " of " + target.table()
                + " does not even keep seconds apart, so it cannot tell changes apart");
    }

    /** Reads the time as it is now and locks the row, so that the next step finds it the same. */
    private Optional<Map<String, @Nullable Object>> look(Connection connection, Dialect dialect, Target target)
            throws SQLException {
        String sql = "SELECT " + text(dialect) + " FROM " + target.table() + " WHERE " + target.keyColumn()
                + " = ? FOR UPDATE";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, target.key());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(Collections.singletonMap(column, row.getString(1))) : Optional.empty();
            }
        }
    }

    private String text(Dialect dialect) {
        return "CAST(" + column + " AS " + (dialect.isMySqlFamily() ? "CHAR" : "VARCHAR") + ")";
    }

    /** The database's time if it is later than the old one by a step, else the old one and a step. */
    private String later(Dialect dialect, int micros) {
        String now = switch (dialect) {
            case H2 -> "CURRENT_TIMESTAMP(6)";
            case POSTGRESQL -> "clock_timestamp()";
            case MARIADB, MYSQL -> "NOW(6)";
        };
        String next = plus(dialect, micros);
        return "CASE WHEN " + column + " IS NULL OR " + next + " <= " + now + " THEN " + now + " ELSE " + next + " END";
    }

    private String plus(Dialect dialect, int micros) {
        return switch (dialect) {
            case H2 -> "DATEADD(MICROSECOND, " + micros + ", " + column + ")";
            case POSTGRESQL -> "(" + column + " + INTERVAL '" + micros + " microseconds')";
            case MARIADB, MYSQL -> "(" + column + " + INTERVAL " + micros + " MICROSECOND)";
        };
    }
}
