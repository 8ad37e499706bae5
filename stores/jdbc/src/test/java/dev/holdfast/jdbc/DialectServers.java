package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.DriverSource;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.spi.StoreContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A database of each dialect for the tests of one class, found or made when needed. Used by one thread. */
public final class DialectServers {
    private static final int CONNECTIONS = 4;

    private final @Nullable Rig rig;
    private final Map<Dialect, Access> known = new EnumMap<>(Dialect.class);

    /** On servers that other classes use too. */
    public DialectServers() {
        this.rig = null;
    }

    /** With servers of its own, which end with the rig. */
    public DialectServers(Rig rig) {
        this.rig = rig;
    }

    /** {@return a new connection that belongs to the test} */
    public Connection connect(Dialect dialect) throws SQLException, InterruptedException {
        return access(dialect).connect();
    }

    /** {@return a URL as the store takes it} */
    public String url(Dialect dialect) throws InterruptedException {
        Access access = access(dialect);
        return dialect == Dialect.H2 ? access.jdbcUrl() : access.jdbcUrlWithCredentials();
    }

    /** {@return the URL without user and password} */
    public String address(Dialect dialect) throws InterruptedException {
        return access(dialect).jdbcUrl();
    }

    /** {@return a database on connections of its own} */
    public Database open(Dialect dialect, StoreContext context) throws InterruptedException {
        DriverSource source = new DriverSource(url(dialect), null, context.commandTimeout());
        return new Database(new Connections(source, CONNECTIONS, context.commandTimeout()), context);
    }

    private Access access(Dialect dialect) throws InterruptedException {
        Access access = known.get(dialect);
        if (access == null) {
            access = dialect == Dialect.H2
                    ? new Access("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "")
                    : rig == null ? SharedServers.database(dialect) : given(dialect, rig);
            known.put(dialect, access);
        }
        return access;
    }

    private static Access given(Dialect dialect, Rig rig) throws InterruptedException {
        return switch (dialect) {
            case POSTGRESQL -> Postgres.given(rig);
            case MARIADB -> MariaDb.given(rig);
            case MYSQL -> MySql.given(rig);
            case H2 -> throw new IllegalArgumentException("H2 runs in this process");
        };
    }
}
