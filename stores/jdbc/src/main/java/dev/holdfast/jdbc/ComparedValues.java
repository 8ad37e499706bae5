package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values themselves: compare and set. A value that was changed and changed back counts as unchanged. */
record ComparedValues(List<String> columns) implements Comparison {

    @Override
    public boolean isForCallers() {
        return true;
    }

    @Override
    public Map<String, @Nullable Object> seen(Map<String, @Nullable Object> read) {
        Map<String, @Nullable Object> seen = new LinkedHashMap<>();
        columns.forEach(column -> seen.put(column, read.get(column)));
        return seen;
    }

    @Override
    public Optional<Map<String, @Nullable Object>> write(
            Connection connection,
            Target target,
            Map<String, @Nullable Object> expected,
            Map<String, @Nullable Object> values)
            throws SQLException {
        Dialect dialect = Dialect.of(connection);
        List<String> assignments = new ArrayList<>();
        values.keySet().forEach(name -> assignments.add(name + " = ?"));
        Clause asExpected = allEqual(dialect, expected);
        int rows = target.update(connection, assignments, asExpected, new ArrayList<>(values.values()));
        boolean written = rows == 1
                || (dialect.isMySqlFamily()
                        && isThere(connection, target, Clause.both(asExpected, allEqual(dialect, values))));
        if (!written) {
            return Optional.empty();
        }
        Map<String, @Nullable Object> after = new LinkedHashMap<>(expected);
        columns.stream().filter(values::containsKey).forEach(column -> after.put(column, values.get(column)));
        return Optional.of(after);
    }

    /** A driver may count only rows that were really changed: none if the new values are the old ones. */
    private static boolean isThere(Connection connection, Target target, Clause condition) throws SQLException {
        String sql = "SELECT 1 FROM " + target.table() + " WHERE " + target.keyColumn() + " = ? AND " + condition.sql()
                + " FOR UPDATE";
        List<@Nullable Object> bound = new ArrayList<>();
        bound.add(target.key());
        bound.addAll(condition.values());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Target.bind(statement, bound);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private static Clause allEqual(Dialect dialect, Map<String, @Nullable Object> values) {
        return values.entrySet().stream()
                .map(entry -> equal(dialect, entry.getKey(), entry.getValue()))
                .reduce(Clause::both)
                .orElseThrow();
    }

    /** MySQL and MariaDB compare texts by collations that may ignore case and trailing blanks, so bytes are compared. */
    private static Clause equal(Dialect dialect, String column, @Nullable Object value) {
        if (!(value instanceof String) || !dialect.isMySqlFamily()) {
            return Clause.equal(column, value);
        }
        List<@Nullable Object> bound = new ArrayList<>();
        bound.add(value);
        return new Clause(
                "CAST(CONVERT(" + column + " USING utf8mb4) AS BINARY) = CAST(CONVERT(? USING utf8mb4) AS BINARY)",
                bound);
    }
}
