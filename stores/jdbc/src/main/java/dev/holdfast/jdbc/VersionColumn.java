package dev.holdfast.jdbc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A number that every change increases. It always changes, so it does not matter what a driver counts. */
record VersionColumn(String column) implements Comparison {

    @Override
    public List<String> columns() {
        return List.of(column);
    }

    @Override
    public boolean isForCallers() {
        return false;
    }

    @Override
    public Map<String, @Nullable Object> seen(Map<String, @Nullable Object> read) {
        // Whatever the column's type, so that a version read and a version returned are equal.
        read.computeIfPresent(column, (name, version) -> exact(version));
        return Collections.singletonMap(column, read.get(column));
    }

    @Override
    public Optional<Map<String, @Nullable Object>> write(
            Connection connection,
            Target target,
            Map<String, @Nullable Object> expected,
            Map<String, @Nullable Object> values)
            throws SQLException {
        Object version = expected.get(column);
        List<String> assignments = new ArrayList<>();
        values.keySet().forEach(name -> assignments.add(name + " = ?"));
        assignments.add(column + " = " + (version == null ? "1" : column + " + 1"));
        int rows =
                target.update(connection, assignments, Clause.equal(column, version), new ArrayList<>(values.values()));
        return rows == 1 ? Optional.of(Collections.singletonMap(column, next(version))) : Optional.empty();
    }

    private static Object next(@Nullable Object version) {
        return version == null ? 1L : Math.addExact(exact(version), 1);
    }

    private static Long exact(Object version) {
        try {
            return new BigDecimal(version.toString()).longValueExact();
        } catch (ArithmeticException | NumberFormatException notAVersion) {
            throw new IllegalArgumentException("a version is a whole number", notAVersion);
        }
    }
}
