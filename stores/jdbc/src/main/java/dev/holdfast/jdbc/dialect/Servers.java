package dev.holdfast.jdbc.dialect;

import dev.holdfast.StoreMisconfiguredException;
import java.sql.Connection;
import java.sql.SQLException;

/** What a store asks about the server that it has been given, before it uses it. */
public final class Servers {
    private Servers() {}

    /**
     * Refuses a server that cannot do what the store needs.
     *
     * @param connection a connection, perhaps within a transaction
     * @param anyCluster whether clusters that are known not to work are used all the same
     * @return what it is
     * @throws SQLException if it does not answer
     * @throws StoreMisconfiguredException if it is not supported, too old, or a cluster that only looks like one server
     */
    public static Dialect checked(Connection connection, boolean anyCluster) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        // First, because what looks like an old server may be a cluster that says so.
        if (!anyCluster) {
            Clusters.refuse(dialect, connection);
        }
        Versions.refuseOld(dialect, connection);
        return dialect;
    }
}
