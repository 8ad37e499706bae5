package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Work within a transaction.
 *
 * @param <X> what it may throw besides {@link SQLException}
 */
@FunctionalInterface
public interface SqlAction<X extends Exception> {
    /**
     * Does the work. The transaction ends after it: it is committed if this returns, and rolled back if it throws.
     *
     * @param connection for this call only; refuses to commit, to roll back or to be closed
     * @throws SQLException if the database fails
     * @throws X whatever the work throws
     */
    void run(Connection connection) throws SQLException, X;
}
