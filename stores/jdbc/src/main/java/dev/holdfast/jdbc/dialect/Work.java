package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Something to do with a connection.
 *
 * @param <R> what comes out
 */
@FunctionalInterface
public interface Work<R> {
    /**
     * Does it.
     *
     * @param connection the connection, for this call only
     * @return the result
     * @throws SQLException if the database fails
     */
    R on(Connection connection) throws SQLException;
}
