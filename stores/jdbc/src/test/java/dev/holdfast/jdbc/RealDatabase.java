package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
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
    H2(Server.H2, ""),
    POSTGRESQL(Server.POSTGRESQL, ""),
    MARIADB_COUNTING_MATCHES(Server.MARIADB, "useAffectedRows=false"),
    MARIADB_COUNTING_CHANGES(Server.MARIADB, "useAffectedRows=true"),
    MYSQL_COUNTING_MATCHES(Server.MYSQL, "useAffectedRows=false"),
    MYSQL_COUNTING_CHANGES(Server.MYSQL, "useAffectedRows=true");

    private enum Server {
        H2,
        POSTGRESQL,
        MARIADB,
        MYSQL
    }

    private final Server server;
    private final String parameters;

    RealDatabase(Server server, String parameters) {
        this.server = server;
        this.parameters = parameters;
    }

    boolean isMySqlFamily() {
        return server == Server.MARIADB || server == Server.MYSQL;
    }

    /** The servers of one rig, started when needed. */
    static final class Servers {
        /** A test that blocks itself should fail, not hang: without it a table is waited for a year. */
        private static final String BOUND = "lock_wait_timeout=20";

        private final Rig rig;
        private final Map<Server, DatabaseServer> running = new EnumMap<>(Server.class);
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
            if (database.server == Server.H2) {
                return rig.keep(new RawPool(h2, "sa", "", autoCommit, isolation));
            }
            DatabaseServer server = server(database);
            return poolThrough(database, server.port(), autoCommit, isolation);
        }

        /** A pool that reaches the database over a detour. */
        RawPool poolThrough(RealDatabase database, int port, boolean autoCommit, int isolation)
                throws InterruptedException {
            DatabaseServer server = server(database);
            String url = server.accessThrough(port).jdbcUrl();
            String separator = url.contains("?") ? "&" : "?";
            return rig.keep(new RawPool(
                    database.parameters.isEmpty() ? url : url + separator + database.parameters,
                    server.user(),
                    server.password(),
                    autoCommit,
                    isolation));
        }

        DatabaseServer server(RealDatabase database) throws InterruptedException {
            DatabaseServer known = running.get(database.server);
            if (known == null) {
                known = switch (database.server) {
                    case POSTGRESQL -> Postgres.start(rig);
                    case MARIADB -> MariaDb.start(rig, BOUND);
                    case MYSQL -> MySql.start(rig, BOUND);
                    case H2 -> throw new IllegalArgumentException("H2 runs in this process");
                };
                running.put(database.server, known);
                rig.keep(() -> running.remove(database.server));
            }
            return known;
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
