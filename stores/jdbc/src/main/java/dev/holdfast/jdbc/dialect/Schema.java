package dev.holdfast.jdbc.dialect;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.SchemaMode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables of one strategy: makes them, or says what is missing. Immutable.
 *
 * @param strategy which script is meant
 * @param prefix what the names of the tables begin with
 * @param mode what to do about missing tables
 */
public record Schema(String strategy, String prefix, SchemaMode mode) {
    private static final Pattern PREFIX =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,40}\\.)?[A-Za-z_][A-Za-z0-9_]{0,40}");
    private static final int FORMAT = 1;

    /** Each may end at another statement, because another client is just then doing what it does. */
    private static final int MOST_ATTEMPTS = 20;

    /** Checks the prefix, which becomes part of statements. */
    public Schema {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new StoreMisconfiguredException("the table prefix must consist of letters, digits and underscores,"
                    + " begin with none of the digits, and may have a schema and a dot in front");
        }
    }

    /**
     * Makes sure that the tables are there, as far as the mode wants it.
     *
     * @param dialect the dialect
     * @param connection a connection in autocommit
     * @throws SQLException if the database fails
     */
    public void ensure(Dialect dialect, Connection connection) throws SQLException {
        if (mode == SchemaMode.NONE) {
            return;
        }
        if (isThere(dialect, connection)) {
            return;
        }
        if (mode == SchemaMode.VALIDATE) {
            throw new StoreMisconfiguredException("tables of Holdfast are missing; create them with this SQL, or use"
                    + " schema=create:\n" + String.join(";\n", statements(dialect)) + ";");
        }
        for (int tries = 1; ; tries++) {
            try {
                create(dialect, connection);
                return;
            } catch (SQLException failure) {
                // Two clients that create the same tables at the same moment can disturb each other.
                if (tries == MOST_ATTEMPTS || Faults.kindOf(failure) == Faults.Kind.UNREACHABLE) {
                    throw failure;
                }
            }
        }
    }

    private boolean isThere(Dialect dialect, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT format FROM " + prefix + "meta WHERE id = 1")) {
            if (!row.next()) {
                return false;
            }
            int found = row.getInt(1);
            if (found > FORMAT) {
                throw new StoreMisconfiguredException("the tables with the prefix '" + prefix + "' have format " + found
                        + ", but this release of Holdfast knows " + FORMAT + " only; update Holdfast");
            }
            return hasTables(dialect, connection);
        } catch (SQLException missing) {
            if (Faults.kindOf(missing) == Faults.Kind.MISCONFIGURED && isMissingTable(missing)) {
                return false;
            }
            throw missing;
        }
    }

    private List<String> tables(Dialect dialect) {
        if (strategy.equals("lease")) {
            return List.of("lock", "claim");
        }
        return dialect == Dialect.POSTGRESQL
                ? List.of("session", "holder", "row", "seat", "epoch")
                : List.of("session", "holder", "row");
    }

    private boolean hasTables(Dialect dialect, Connection connection) throws SQLException {
        for (String table : tables(dialect)) {
            try (Statement statement = connection.createStatement()) {
                statement
                        .executeQuery("SELECT 1 FROM " + prefix + table + " WHERE 1 = 0")
                        .close();
            }
        }
        return true;
    }

    /**
     * Tells whether the tables can be seen on PostgreSQL, where to use one that is missing would spoil a transaction.
     *
     * @param connection the connection, perhaps within a transaction
     * @return false if one is missing
     * @throws SQLException if the database fails
     */
    public boolean isVisible(Connection connection) throws SQLException {
        String all = tables(Dialect.POSTGRESQL).stream()
                .map(table -> "to_regclass('" + prefix + table + "') IS NOT NULL")
                .collect(Collectors.joining(" AND "));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + all)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /**
     * Tells whether a statement failed because a table is missing.
     *
     * @param failure what the driver threw
     * @return true if so
     */
    public static boolean isMissingTable(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.equals("42P01") || state.equals("42S02") || state.equals("3F000") || state.equals("42S04");
    }

    private void create(Dialect dialect, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements(dialect)) {
                statement.execute(sql);
            }
        }
    }

    private List<String> statements(Dialect dialect) {
        String database = switch (dialect) {
            case H2 -> "h2";
            case POSTGRESQL -> "postgresql";
            case MARIADB, MYSQL -> "mysql";
        };
        // Named so that Flyway takes the directory as it is.
        String file = strategy + "/" + database + "/R__holdfast_" + strategy + ".sql";
        try (InputStream in = Schema.class.getResourceAsStream("/dev/holdfast/jdbc/sql/" + file)) {
            if (in == null) {
                throw new IllegalStateException("the script " + file + " is not in the jar");
            }
            String script = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .collect(Collectors.joining("\n"));
            List<String> statements = new ArrayList<>();
            for (String statement : script.replace("${prefix}", prefix).split(";", -1)) {
                if (!statement.isBlank()) {
                    statements.add(statement.strip());
                }
            }
            return statements;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
