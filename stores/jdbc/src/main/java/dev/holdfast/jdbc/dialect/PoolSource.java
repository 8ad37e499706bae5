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
    @Override
    public Connection connect() throws SQLException {
        return dataSource.getConnection();
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
