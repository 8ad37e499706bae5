package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Where the largest token that was seen is kept. */
sealed interface TokenPlace permits TokenColumn, TokenRow {
    /** How long to wait for the row: a holder that is paused within its transaction keeps it locked. */
    Duration PATIENCE = Duration.ofSeconds(30);

    /** How often to look again when rows come and go between two statements. */
    int MOST_LOOKS = 10;

    /**
     * Raises it, in the transaction under way, and leaves its row locked.
     *
     * @throws dev.holdfast.fence.StaleTokenException if it is larger already
     */
    void raise(Connection connection, String lockName, long token) throws SQLException;

    /** PostgreSQL waits for a row without end; the others have a limit of their own. */
    static void limit(Dialect dialect, PreparedStatement statement) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            statement.setQueryTimeout((int) PATIENCE.toSeconds());
        }
    }
}
