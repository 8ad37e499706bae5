package dev.holdfast.jdbc.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Ends sessions of the database by their numbers.
 *
 * @param sql the statements
 */
record SessionEnd(RegisterSql sql) {
    /** MySQL and MariaDB: there is no such connection any more. */
    private static final int NO_SUCH_THREAD = 1094;

    /** Ends a session if it is still that one, and tells whether it was. */
    boolean ifAlive(Connection connection, SessionId session) throws SQLException {
        boolean inTransaction = session.begun() != 0;
        boolean alive;
        try (PreparedStatement statement = connection.prepareStatement(sql.lives(inTransaction))) {
            statement.setLong(1, session.number());
            statement.setLong(2, session.age().toNanos() / 1_000);
            if (inTransaction) {
                statement.setLong(3, session.begun());
            }
            try (ResultSet row = statement.executeQuery()) {
                alive = row.next();
            }
        }
        if (alive && !sql.livesEnds()) {
            now(connection, session.number());
        }
        return alive;
    }

    /** Ends whichever session has a number. */
    void now(Connection connection, long number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.terminate(number))) {
            statement.execute();
        } catch (SQLException gone) {
            if (gone.getErrorCode() != NO_SUCH_THREAD) {
                throw gone;
            }
        }
    }
}
