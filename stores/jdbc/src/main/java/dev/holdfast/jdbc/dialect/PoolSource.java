package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Borrows connections from the user's data source.
 *
 * @param dataSource the data source
 */
public record PoolSource(DataSource dataSource) implements ConnectionSource {
    private static final int MOST_CAUSES = 10;

    @Override
    public Connection connect() throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (RuntimeException failed) {
            // Some pools start with the first connection, and wrap what the driver has thrown.
            Throwable cause = failed.getCause();
            for (int depth = 0; depth < MOST_CAUSES && cause != null; depth++) {
                if (cause instanceof SQLException failure) {
                    throw failure;
                }
                cause = cause.getCause();
            }
            throw failed;
        }
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
