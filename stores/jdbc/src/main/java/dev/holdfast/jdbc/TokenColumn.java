package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import dev.holdfast.fence.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The token in a column of the guarded row. */
record TokenColumn(String table, String keyColumn, Object key, String tokenColumn) implements TokenPlace {

    @Override
    public void raise(Connection connection, String lockName, long token, Duration patience) throws SQLException {
        for (int look = 0; look < MOST_LOOKS; look++) {
            int rows = raiseIfNotLarger(connection, token, patience);
            if (rows > 1) {
                throw new HoldfastException("column " + keyColumn + " of " + table + " does not identify one row but "
                        + rows + ", so it cannot carry the token of lock '" + lockName + "'");
            }
            if (rows == 1 || isThere(connection, lockName, token, patience)) {
                return;
            }
        }
        throw new HoldfastException("the row of " + table + " for lock '" + lockName + "' is changed all the time");
    }

    /** Locks the row, whatever its token is, and decides by what is committed, not by an older snapshot. */
    private int raiseIfNotLarger(Connection connection, long token, Duration patience) throws SQLException {
        String sql = "UPDATE " + table + " SET " + tokenColumn + " = ? WHERE " + keyColumn + " = ? AND (" + tokenColumn
                + " IS NULL OR " + tokenColumn + " <= ?)";
        try (PreparedStatement statement = TokenPlace.prepare(connection, sql, patience)) {
            statement.setLong(1, token);
            statement.setObject(2, key);
            statement.setLong(3, token);
            return statement.executeUpdate();
        }
    }

    /** Some drivers count only rows that were really changed, so no row may mean that the token was there already. */
    private boolean isThere(Connection connection, String lockName, long token, Duration patience) throws SQLException {
        String sql = "SELECT " + tokenColumn + " FROM " + table + " WHERE " + keyColumn + " = ? FOR UPDATE";
        try (PreparedStatement statement = TokenPlace.prepare(connection, sql, patience)) {
            statement.setObject(1, key);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new HoldfastException("table " + table + " has no row for lock '" + lockName
                            + "' to keep its token in; insert it first, or use a side table");
                }
                long seen = row.getLong(1);
                if (seen > token) {
                    throw new StaleTokenException(lockName, token, seen);
                }
                return seen == token;
            }
        }
    }
}
