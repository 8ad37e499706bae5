package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Work with a result within a transaction.
 *
 * @param <T> its result
 * @param <X> what it may throw besides {@link SQLException}
 */
@FunctionalInterface
public interface SqlFunction<T, X extends Exception> {
    /**
     * Does the work. The transaction ends after it: it is committed if this returns, and rolled back if it throws.
     *
     * @param connection for this call only; refuses to commit, to roll back or to be closed
     * @return the result
     * @throws SQLException if the database fails
     * @throws X whatever the work throws
     */
    T call(Connection connection) throws SQLException, X;
}
