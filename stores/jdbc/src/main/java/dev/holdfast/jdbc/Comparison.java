package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a change by somebody else is noticed. */
sealed interface Comparison permits VersionColumn, TimestampColumn, ComparedValues {

    /** The columns that are compared. */
    List<String> columns();

    /** Whether a caller may set the columns that are compared, or only we do. */
    boolean isForCallers();

    /** Another column to read, or an empty text. */
    default String alsoRead(Dialect dialect) {
        return "";
    }

    /** Takes what is compared from what was read, which then shows it in the same form. */
    Map<String, @Nullable Object> seen(Map<String, @Nullable Object> read);

    /**
     * Writes values if what is compared is still as expected.
     *
     * @return what is compared as it is afterwards; empty if it was not as expected, or the row is gone
     */
    Optional<Map<String, @Nullable Object>> write(
            Connection connection,
            Target target,
            Map<String, @Nullable Object> expected,
            Map<String, @Nullable Object> values)
            throws SQLException;

    /**
     * One row.
     *
     * @param table checked
     * @param keyColumn checked
     * @param key a value
     */
    record Target(String table, String keyColumn, Object key) {

        /** Updates it under a condition; returns how many rows the driver has counted, which is 1 or 0. */
        int update(Connection connection, List<String> assignments, Clause condition, List<@Nullable Object> values)
                throws SQLException {
            List<@Nullable Object> bound = new ArrayList<>(values);
            bound.add(key);
            bound.addAll(condition.values());
            String sql = "UPDATE " + table + " SET " + String.join(", ", assignments) + " WHERE " + keyColumn
                    + " = ? AND " + condition.sql();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(statement, bound);
                int rows = statement.executeUpdate();
                if (rows > 1) {
                    throw new HoldfastException("column " + keyColumn + " of " + table
                            + " does not identify one row but " + rows + ", so it cannot be updated by it");
                }
                return rows;
            }
        }

        static void bind(PreparedStatement statement, List<@Nullable Object> values) throws SQLException {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
        }
    }

    /**
     * A part of a statement with the values that are bound in it.
     *
     * @param sql with a question mark for each value
     * @param values in their order
     */
    record Clause(String sql, List<@Nullable Object> values) {
        /** Equal, or both null. */
        static Clause equal(String expression, @Nullable Object value) {
            List<@Nullable Object> bound = new ArrayList<>();
            if (value != null) {
                bound.add(value);
            }
            return new Clause(expression + (value == null ? " IS NULL" : " = ?"), bound);
        }

        static Clause both(Clause one, Clause other) {
            List<@Nullable Object> all = new ArrayList<>(one.values);
            all.addAll(other.values);
            return new Clause(one.sql + " AND " + other.sql, all);
        }
    }
}
