package dev.holdfast.cli.doctor;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Short questions to a database. Used by one thread. */
final class Sql {
    private final Statement statement;

    Sql(Statement statement) {
        this.statement = statement;
    }

    /** {@return the first value of the first row, or an empty text} */
    String value(String sql) throws SQLException {
        return value(sql, 1);
    }

    String value(String sql, int column) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            String found = row.next() ? row.getString(column) : null;
            return found == null ? "" : found;
        }
    }

    /** {@return the same; empty if the server does not know what is asked for, or this user may not ask} */
    Optional<String> ask(String sql, int column) {
        try {
            return Optional.of(value(sql, column));
        } catch (SQLException refused) {
            return Optional.empty();
        }
    }

    Optional<String> ask(String sql) {
        return ask(sql, 1);
    }

    /** Expects a setting to have a value. */
    void expect(String sql, String wanted, String name, String otherwise, Findings findings) throws SQLException {
        String found = value(sql);
        if (found.equals(wanted)) {
            findings.ok(name, name + " is " + found);
        } else {
            findings.danger(name, name + " is " + found + ": " + otherwise, "set it to " + wanted);
        }
    }

    /** {@return the server's time, in milliseconds since 1970, by a question after the seconds} */
    long millis(String sql) {
        return ask(sql).filter(text -> text.matches("\\d+(\\.\\d+)?"))
                .map(text -> Math.round(Double.parseDouble(text) * 1_000))
                .orElseGet(System::currentTimeMillis);
    }
}
