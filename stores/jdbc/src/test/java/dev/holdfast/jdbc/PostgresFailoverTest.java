package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A standby is promoted that lacks commits, while the old primary goes on serving a client that has not heard of it.
 * Tokens stay unique, and those of the new primary are larger, although its clock is behind.
 */
final class PostgresFailoverTest {
    private static final List<String> STRATEGIES = List.of("lease", "row", "advisory");
    private static final int GRANTS = 20;

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static DatabaseServer primary;
    private static DatabaseServer standby;
    private static FaultProxy cable;

    @BeforeAll
    static void startServers() throws InterruptedException {
        primary = Postgres.start(RIG);
        cable = FaultProxy.before(RIG, primary.port());
        standby = Postgres.standbyOf(RIG, primary, cable.port());
    }

    @Test
    void tokensOfAPromotedStandbyAreLargerThanThoseThatTheOldPrimaryStillGives()
            throws SQLException, InterruptedException {
        List<Long> before = new ArrayList<>();
        List<Long> late = new ArrayList<>();
        List<Long> after = new ArrayList<>();
        try (Holdfast lease = connect(primary, "lease");
                Holdfast row = connect(primary, "row");
                Holdfast advisory = connect(primary, "advisory");
                Holdfast either = Holdfast.connect(urlOfBoth())) {
            List<Holdfast> clients = List.of(lease, row, advisory);
            setBack(primary, "0 seconds");
            long first = tokenOf(either);
            for (Holdfast client : clients) {
                take(client, "known", before);
            }
            untilTheStandbyHasEverything();
            cable.blackHole(Direction.TO_CLIENT, Direction.TO_SERVER);
            for (Holdfast client : clients) {
                for (String name : List.of("known", "unknown")) {
                    take(client, name, late);
                }
            }

            promote();
            setBack(standby, "20 seconds");
            for (String strategy : STRATEGIES) {
                try (Holdfast winner = connect(standby, strategy)) {
                    for (String name : List.of("known", "unknown")) {
                        take(winner, name, after);
                    }
                }
            }
            for (Holdfast client : clients) {
                for (String name : List.of("known", "unknown")) {
                    take(client, name, late);
                }
            }
            primary.kill();
            Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> tokenOf(either) > first);
        }

        List<Long> all = new ArrayList<>(before);
        all.addAll(late);
        all.addAll(after);
        for (int from = 0; from < after.size(); from += 2 * GRANTS) {
            long smallest = after.subList(from, from + 2 * GRANTS).stream()
                    .mapToLong(Long::longValue)
                    .min()
                    .orElseThrow();
            String strategy = STRATEGIES.get(from / (2 * GRANTS));
            assertThat(late).as(strategy).allMatch(token -> token < smallest);
        }
        assertThat(all).doesNotHaveDuplicates();
    }

    /** The standby comes first, so that only the driver's choice leads to the primary. */
    private static String urlOfBoth() {
        String ofStandby = ":" + standby.port() + "/";
        return standby.access()
                        .jdbcUrlWithCredentials()
                        .replace(ofStandby, ":" + standby.port() + ",127.0.0.1:" + primary.port() + "/")
                + "&targetServerType=primary&hostRecheckSeconds=1#prefix=public.either_";
    }

    private static long tokenOf(Holdfast locks) throws InterruptedException {
        try (Lease lease = locks.lock("either").tryAcquire().orElseThrow()) {
            return lease.token();
        }
    }

    /** Each client stays on a strategy, and each strategy has names of its own. */
    private static void take(Holdfast locks, String name, List<Long> tokens) throws InterruptedException {
        for (int i = 0; i < GRANTS; i++) {
            try (Lease lease = locks.lock(name).acquire()) {
                tokens.add(lease.token());
            }
        }
    }

    private static void untilTheStandbyHasEverything() throws SQLException {
        try (Connection there = primary.connect();
                Connection here = standby.connect()) {
            Awaitility.await()
                    .until(() -> Sql.ask(here, "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn")
                            >= Sql.ask(there, "SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn"));
        }
    }

    private static void promote() throws SQLException {
        try (Connection connection = standby.connect()) {
            Sql.tell(connection, "SELECT pg_promote(TRUE)");
            Awaitility.await()
                    .until(() -> Sql.ask(connection, "SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END") == 0);
        }
    }

    /** The clock that the statements read is one of a schema before the catalogue's. */
    private static void setBack(DatabaseServer server, String by) throws SQLException {
        try (Connection connection = server.connect()) {
            Sql.tell(connection, "CREATE SCHEMA IF NOT EXISTS skew");
            Sql.tell(
                    connection,
                    "CREATE OR REPLACE FUNCTION skew.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                            + " $$ SELECT pg_catalog.clock_timestamp() - interval '" + by + "' $$");
        }
    }

    private static Holdfast connect(DatabaseServer server, String strategy) {
        return Holdfast.connect(
                server.access().jdbcUrlWithCredentials() + "&options=-c%20search_path%3Dskew,pg_catalog,public"
                        + "#prefix=public." + strategy + "_&strategy=" + strategy);
    }
}
