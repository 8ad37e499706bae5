package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;

/**
 * One server of each kind for all test classes of this process that do not break it, each class with a database of its own:
 * to start a server takes as long as most classes. They end with the process. Thread-safe.
 */
final class SharedServers {
    /** A test that blocks itself should fail, not hang: without it a table is waited for a year. */
    static final String BOUND = "lock_wait_timeout=20";

    private static final Rig RIG = new Rig();
    private static final Map<Dialect, Access> RUNNING = new EnumMap<>(Dialect.class);

    /** Databases so far; guarded by this class, like the servers. */
    private static int databases;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(RIG::close, "shared-servers"));
    }

    private SharedServers() {}

    /** {@return an empty database; that of the environment if it names a server, which may have been used before} */
    static synchronized Access database(Dialect dialect) throws InterruptedException {
        boolean given =
                System.getenv("HOLDFAST_TEST_" + (dialect == Dialect.POSTGRESQL ? "POSTGRES" : dialect.name())) != null;
        Access server = RUNNING.get(dialect);
        if (server == null) {
            server = given ? find(dialect) : start(dialect);
            RUNNING.put(dialect, server);
        }
        return given ? server : empty(dialect, server);
    }

    private static Access find(Dialect dialect) throws InterruptedException {
        return switch (dialect) {
            case POSTGRESQL -> Postgres.given(RIG);
            case MARIADB -> MariaDb.given(RIG);
            case MYSQL -> MySql.given(RIG);
            case H2 -> throw new IllegalArgumentException("H2 runs in this process");
        };
    }

    private static Access start(Dialect dialect) throws InterruptedException {
        return switch (dialect) {
            case POSTGRESQL -> Postgres.start(RIG).access();
            case MARIADB -> MariaDb.start(RIG, BOUND).access();
            case MYSQL -> MySql.start(RIG, BOUND).access();
            case H2 -> throw new IllegalArgumentException("H2 runs in this process");
        };
    }

    private static Access empty(Dialect dialect, Access server) {
        databases++;
        String name = "shared_" + databases;
        try (Connection operator = server.connect()) {
            Sql.tell(operator, "CREATE DATABASE " + name + (dialect.isMySqlFamily() ? " CHARACTER SET utf8mb4" : ""));
        } catch (SQLException failed) {
            throw new IllegalStateException("there is no new database in " + server, failed);
        }
        return new Access(
                server.jdbcUrl().replaceFirst("(//[^/]+/)[^?]*", "$1" + name), server.user(), server.password());
    }
}
