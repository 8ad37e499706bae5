package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/**
 * The outage contract of a database server and a strategy. The clients of that suite hold some fifty locks each, for which
 * the strategies that keep a connection per lock need as many connections.
 */
abstract class DatabaseOutageContract extends OutageContract {
    static final String LEASE = "";
    static final String ROW = "#strategy=row&connections=100";
    static final String ADVISORY = "#strategy=advisory&connections=100";
    private static final String ENOUGH = "max_connections=500";

    /** Of the class whose tests are running; they run one after another. */
    private static DatabaseOutages outages;

    static void startPostgres(Rig rig, String options) throws InterruptedException {
        outages = DatabaseOutages.of(
                rig,
                Postgres.start(rig, ENOUGH),
                options,
                List.of(
                        List.of("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"),
                        List.of(
                                "SET default_transaction_read_only = off",
                                "ALTER SYSTEM RESET default_transaction_read_only",
                                "SELECT pg_reload_conf()")));
    }

    /** Whoever may do everything may write to MariaDB whatever it is set to. */
    static void startMariaDb(Rig rig, String options) throws InterruptedException {
        outages = DatabaseOutages.of(rig, MariaDb.start(rig, ENOUGH), options, List.of());
    }

    static void startMySql(Rig rig, String options) throws InterruptedException {
        outages = DatabaseOutages.of(
                rig,
                MySql.start(rig, ENOUGH),
                options,
                List.of(
                        List.of("SET GLOBAL super_read_only = ON"),
                        List.of("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")));
    }

    static void startPostgresForPools(Rig rig) throws InterruptedException {
        outages = DatabaseOutages.ofPools(rig, Postgres.start(rig, ENOUGH));
    }

    static void startMariaDbForPools(Rig rig) throws InterruptedException {
        outages = DatabaseOutages.ofPools(rig, MariaDb.start(rig, ENOUGH));
    }

    @BeforeEach
    final void closePoolsOfTheTestBefore() {
        outages.closePools();
    }

    static void startH2(Rig rig, String options) throws SQLException {
        outages = new DatabaseOutages(rig, rig.keep(H2Server.start()), options);
    }

    @Override
    public final String url() {
        return outages.url();
    }

    @Override
    public final Outages outages() {
        return outages;
    }

    @Override
    public Duration commandTimeout() {
        return Duration.ofSeconds(1);
    }
}
