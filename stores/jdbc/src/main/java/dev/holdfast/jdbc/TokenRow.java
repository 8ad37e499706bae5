package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;

/** The token in a row of a table made for that, one row per lock. */
record TokenRow(String table, String name) implements TokenPlace {

    @Override
    public void raise(Connection connection, String lockName, long token, Duration patience) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        if (raiseIfNotLarger(dialect, connection, token, patience)) {
            return;
        }
        for (int look = 0; look < MOST_LOOKS; look++) {
            insert(dialect, connection, token, patience);
            OptionalLong seen = seen(dialect, connection, patience);
            if (seen.isPresent() && seen.getAsLong() > token) {
                throw new StaleTokenException(lockName, token, seen.getAsLong());
            }
            if (seen.isPresent() && seen.getAsLong() == token) {
                return;
            }
        }
        throw new HoldfastException("the row of " + table + " for lock '" + lockName + "' is changed all the time");
    }

    /** Locks the row and decides by what is committed. Only a positive count is a proof, whatever the driver counts. */
    private boolean raiseIfNotLarger(Dialect dialect, Connection connection, long token, Duration patience)
            throws SQLException {
        String sql = "UPDATE " + table + " SET token = ? WHERE name = ? AND token <= ?";
        try (PreparedStatement statement = TokenPlace.prepare(connection, sql, patience)) {
            statement.setLong(1, token);
            dialect.bindName(statement, 2, name);
            statement.setLong(3, token);
            return statement.executeUpdate() > 0;
        }
    }

    /** Adds the row if it is missing; one that is there is raised, but never lowered. */
    private void insert(Dialect dialect, Connection connection, long token, Duration patience) throws SQLException {
        String upsert = switch (dialect) {
            case POSTGRESQL ->
                " AS known (name, token) VALUES (?, ?) ON CONFLICT (name)"
                        + " DO UPDATE SET token = EXCLUDED.token WHERE known.token < EXCLUDED.token";
            case MARIADB, MYSQL ->
                " (name, token) VALUES (?, ?) ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))";
            case H2 -> " (name, token) VALUES (?, ?)";
        };
        try (PreparedStatement statement = TokenPlace.prepare(connection, "INSERT INTO " + table + upsert, patience)) {
            dialect.bindName(statement, 1, name);
            statement.setLong(2, token);
            statement.executeUpdate();
        } catch (SQLException failure) {
            if (dialect != Dialect.H2 || Faults.kindOf(failure) != Faults.Kind.DUPLICATE) {
                throw failure;
            }
            raiseIfNotLarger(dialect, connection, token, patience);
        }
    }

    private OptionalLong seen(Dialect dialect, Connection connection, Duration patience) throws SQLException {
        String sql = "SELECT token FROM " + table + " WHERE name = ? FOR UPDATE";
        try (PreparedStatement statement = TokenPlace.prepare(connection, sql, patience)) {
            dialect.bindName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }
}
