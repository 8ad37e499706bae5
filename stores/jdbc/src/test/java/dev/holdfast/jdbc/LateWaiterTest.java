package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreUri;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statements that meet at one row, at the worst moment. */
final class LateWaiterTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    static final Rig RIG = new Rig();

    @Test
    void waiterThatCommitsWhileTheReleaseBlocksOnTheRowIsServedOnPostgres()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        waiterIsServed(
                Postgres.given(RIG),
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE holdfast_lock%'");
    }

    @Test
    void waiterThatCommitsWhileTheReleaseBlocksOnTheRowIsServedOnMariaDb()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        waiterIsServed(MariaDb.given(RIG), "SELECT count(*) FROM information_schema.innodb_lock_waits");
    }

    private static void waiterIsServed(Access access, String blocked)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        Claim waiting = TestContext.claim(LEASE, "late");
        try (TestContext context = new TestContext();
                LockStore store = open(access.jdbcUrlWithCredentials(), context);
                Connection waiter = access.connect();
                Connection observer = access.connect()) {
            Grant held = take(store, TestContext.claim(LEASE, "late"));
            waiter.setAutoCommit(false);
            execute(waiter, "SELECT name FROM holdfast_lock WHERE name = 'late' FOR UPDATE");
            CompletableFuture<ReleaseOutcome> release = CompletableFuture.supplyAsync(
                    () -> store.release(List.of(held)).get(0));
            Awaitility.await().until(() -> count(observer, blocked) > 0);
            enterLine(waiter, waiting);
            execute(waiter, "UPDATE holdfast_lock SET crowded = 1 WHERE name = 'late'");
            waiter.commit();

            assertThat(release.get(30, TimeUnit.SECONDS)).isInstanceOf(ReleaseOutcome.Released.class);
            assertThat(holder(observer)).isEqualTo(waiting.owner().toString());
        }
    }

    @Test
    void nameWhoseRowWasPurgedIsTakenAllTheSame() throws SQLException, InterruptedException {
        Access access = Postgres.given(RIG);
        try (TestContext context = new TestContext();
                LockStore store = open(access.jdbcUrlWithCredentials(), context);
                Connection operator = access.connect()) {
            Grant first = take(store, TestContext.claim(LEASE, "purged"));
            store.release(List.of(first));
            execute(operator, "DELETE FROM holdfast_lock WHERE name = 'purged'");
            Grant second = take(store, TestContext.claim(LEASE, "purged"));

            assertThat(second.epoch()).isGreaterThan(first.epoch());
            assertThat(store.release(List.of(second))).containsExactly(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void contendedAcquireIsRefusedHoweverAffectedRowsAreCounted() throws SQLException, InterruptedException {
        for (Access access : List.of(MariaDb.given(RIG), MySql.given(RIG))) {
            for (boolean affected : new boolean[] {true, false}) {
                String url = access.jdbcUrlWithCredentials() + "&useAffectedRows=" + affected + "#connections=1";
                try (TestContext context = new TestContext();
                        LockStore store = open(url, context)) {
                    Grant other = take(store, TestContext.claim(LEASE, "other"));
                    Grant held = take(store, TestContext.claim(LEASE, "rows"));
                    for (int i = 0; i < 5; i++) {
                        assertThat(store.tryAcquire(TestContext.claim(LEASE, "rows")))
                                .isInstanceOf(AcquireOutcome.Contended.class);
                    }
                    assertThat(store.release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
                    assertThat(store.release(List.of(held))).containsExactly(ReleaseOutcome.NOT_HELD);
                    assertThat(take(store, TestContext.claim(LEASE, "rows")).epoch())
                            .isGreaterThan(held.epoch());
                    store.release(List.of(other));
                    store.evict("rows", "test", "done");
                }
            }
        }
    }

    private static LockStore open(String url, TestContext context) {
        return new JdbcStoreProvider().open(StoreUri.parse(url, Map.of(), null), context.context());
    }

    private static Grant take(LockStore store, Claim claim) {
        AcquireOutcome outcome = store.tryAcquire(claim);
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }

    private static void enterLine(Connection connection, Claim claim) throws SQLException {
        String forEver = "9000000000000000";
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO holdfast_claim (name, owner, state,"
                + " arrival, units, parts, epoch, expires, lease, since, client, client_name, label) VALUES ('late', ?, 'W',"
                + " 1, 1, 1, 0, " + forEver + ", 30000000, 1, ?, 'late', '')")) {
            statement.setString(1, claim.owner().toString());
            statement.setString(2, claim.owner().toString());
            statement.executeUpdate();
        }
    }

    private static String holder(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT owner FROM holdfast_lock WHERE name = 'late'")) {
            row.next();
            return row.getString(1);
        }
    }

    private static long count(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
