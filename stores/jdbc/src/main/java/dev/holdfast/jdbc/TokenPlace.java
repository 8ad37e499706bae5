package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Where the largest token that was seen is kept. */
sealed interface TokenPlace permits TokenColumn, TokenRow {
    /** How often to look again when rows come and go between two statements. */
    int MOST_LOOKS = 10;

    /**
     * Raises it, in the transaction under way, and leaves its row locked.
     *
     * @param patience how long each statement may wait for the row, in whole seconds
     * @throws dev.holdfast.fence.StaleTokenException if it is larger already
     */
    void raise(Connection connection, String lockName, long token, Duration patience) throws SQLException;

    /** Prepares a statement that does not wait without end. H2 has a limit of its own, and one limit for all statements. */
    static PreparedStatement prepare(Connection connection, String sql, Duration patience) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            if (Dialect.of(connection) != Dialect.H2) {
                statement.setQueryTimeout(seconds(patience));
            }
            return statement;
        } catch (SQLException | RuntimeException failure) {
            statement.close();
            throw failure;
        }
    }

    /** {@return as many whole seconds as drivers can be told, never less than was asked for} */
    static int seconds(Duration patience) {
        return (int) patience.plusMillis(999).toSeconds();
    }
}
