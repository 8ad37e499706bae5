package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/** Every database that the tools for tables are tested on, in both ways of counting changed rows where there are two. */
enum RealDatabase {
    H2(Dialect.H2, ""),
    POSTGRESQL(Dialect.POSTGRESQL, ""),
    MARIADB_COUNTING_MATCHES(Dialect.MARIADB, "useAffectedRows=false"),
    MARIADB_COUNTING_CHANGES(Dialect.MARIADB, "useAffectedRows=true"),
    MYSQL_COUNTING_MATCHES(Dialect.MYSQL, "useAffectedRows=false"),
    MYSQL_COUNTING_CHANGES(Dialect.MYSQL, "useAffectedRows=true");

    private final Dialect server;
    private final String parameters;

    RealDatabase(Dialect server, String parameters) {
        this.server = server;
        this.parameters = parameters;
    }

    boolean isMySqlFamily() {
        return server == Dialect.MARIADB || server == Dialect.MYSQL;
    }

    /** The databases of one class, on servers that others use too, made when needed; pools end with a rig. */
    static final class Servers {
        private final Rig rig;
        private final Map<Dialect, Access> known = new EnumMap<>(Dialect.class);
        private final Map<Dialect, DatabaseServer> running = new EnumMap<>(Dialect.class);
        private final String h2 = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

        Servers(Rig rig) {
            this.rig = rig;
        }

        /** A pool as most have it. */
        RawPool pool(RealDatabase database) throws InterruptedException {
            return pool(database, true, Connection.TRANSACTION_READ_COMMITTED);
        }

        /** A pool that hands out connections in a state of the test's choice. */
        RawPool pool(RealDatabase database, boolean autoCommit, int isolation) throws InterruptedException {
            if (database.server == Dialect.H2) {
                return rig.keep(new RawPool(h2, "sa", "", autoCommit, isolation));
            }
            return pool(database, access(database), autoCommit, isolation);
        }

        Access access(RealDatabase database) throws InterruptedException {
            Access access = known.get(database.server);
            if (access == null) {
                access = SharedServers.database(database.server);
                known.put(database.server, access);
            }
            return access;
        }

        /** A pool on a server of this class alone, which it may break. */
        RawPool ownPool(RealDatabase database) throws InterruptedException {
            return ownPoolThrough(database, server(database).port());
        }

        /** A pool that reaches that server over a detour. */
        RawPool ownPoolThrough(RealDatabase database, int port) throws InterruptedException {
            return pool(database, server(database).accessThrough(port), true, Connection.TRANSACTION_READ_COMMITTED);
        }

        /** A server of this class alone. */
        DatabaseServer server(RealDatabase database) throws InterruptedException {
            DatabaseServer own = running.get(database.server);
            if (own == null) {
                own = switch (database.server) {
                    case POSTGRESQL -> Postgres.start(rig);
                    case MARIADB -> MariaDb.start(rig, SharedServers.BOUND);
                    case MYSQL -> MySql.start(rig, SharedServers.BOUND);
                    case H2 -> throw new IllegalArgumentException("H2 runs in this process");
                };
                running.put(database.server, own);
                rig.keep(() -> running.remove(database.server));
            }
            return own;
        }

        private RawPool pool(RealDatabase database, Access access, boolean autoCommit, int isolation) {
            String url = access.jdbcUrl();
            String separator = url.contains("?") ? "&" : "?";
            return rig.keep(new RawPool(
                    database.parameters.isEmpty() ? url : url + separator + database.parameters,
                    access.user(),
                    access.password(),
                    autoCommit,
                    isolation));
        }
    }

    static void execute(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        }
    }

    static String ask(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            String answer = ask(connection, sql);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return answer;
        }
    }

    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
