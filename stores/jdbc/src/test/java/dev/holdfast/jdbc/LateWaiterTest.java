package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.Dialect;
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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Statements that meet at one row, at the worst moment. */
final class LateWaiterTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final DialectServers SERVERS = new DialectServers();

    @ParameterizedTest
    @EnumSource
    void waiterThatCommitsWhileTheReleaseBlocksOnTheRowIsServed(Dialect dialect)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        Claim waiting = TestContext.claim(LEASE, "late");
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection waiter = SERVERS.connect(dialect);
                Connection observer = SERVERS.connect(dialect)) {
            Grant held = takeAfresh(store);

            assertThat(releaseWhile(dialect, store, held, waiter, waiting, blockedRelease(dialect)))
                    .isInstanceOf(ReleaseOutcome.Released.class);
            assertThat(holder(dialect, observer)).isEqualTo(waiting.owner().toString());
        }
    }

    /** A transaction would serve it too, and tell it to ask: a notice with the grant comes from the one round trip only. */
    @Test
    void waiterThatCommitsWhileTheHandOverInOneRoundTripBlocksOnTheRowIsServed()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        Dialect dialect = Dialect.POSTGRESQL;
        String blocked = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND query LIKE 'SELECT 1 FROM holdfast_lock%FOR UPDATE'";
        Claim waiting = TestContext.claim(LEASE, "late");
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection waiter = SERVERS.connect(dialect);
                Connection observer = SERVERS.connect(dialect);
                Ear ear = Ear.on(
                        SERVERS.connect(dialect), "holdfast_" + waiting.owner().toString())) {
            Grant held = takeAfresh(store);
            Claim passing = TestContext.claim(LEASE, "late").queued(true);
            assertThat(store.tryAcquire(passing)).isInstanceOf(AcquireOutcome.Contended.class);
            store.withdraw(passing, false);

            assertThat(releaseWhile(dialect, store, held, waiter, waiting, blocked))
                    .isInstanceOf(ReleaseOutcome.Released.class);
            assertThat(holder(dialect, observer)).isEqualTo(waiting.owner().toString());
            assertThat(ear.next()).startsWith("g " + waiting.owner() + " ");
            assertThat(Sql.ask(observer, "SELECT COUNT(*) FROM holdfast_claim")).isZero();
        }
    }

    /** Where the holder knows that somebody waits, it gives back with a transaction at once. */
    @ParameterizedTest
    @EnumSource(names = "POSTGRESQL", mode = EnumSource.Mode.EXCLUDE)
    void waiterThatCommitsWhileTheTransactionOfTheReleaseBlocksOnTheRowIsServed(Dialect dialect)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        Claim waiting = TestContext.claim(LEASE, "late");
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection waiter = SERVERS.connect(dialect);
                Connection observer = SERVERS.connect(dialect)) {
            Grant held = takeAfresh(store);
            Claim behind = TestContext.claim(LEASE, "late").queued(true);
            assertThat(store.tryAcquire(behind)).isInstanceOf(AcquireOutcome.Contended.class);

            assertThat(releaseWhile(dialect, store, held, waiter, waiting, blockedRelease(dialect)))
                    .isInstanceOf(ReleaseOutcome.Released.class);
            assertThat(holder(dialect, observer)).isEqualTo(waiting.owner().toString());
            store.withdraw(behind, false);
        }
    }

    /** Releases a grant, and lets a waiter in when the release is blocked and has read whatever it reads before that. */
    private static ReleaseOutcome releaseWhile(
            Dialect dialect, LockStore store, Grant held, Connection waiter, Claim waiting, String blocked)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        try (Connection observer = SERVERS.connect(dialect)) {
            waiter.setAutoCommit(false);
            executeOn(dialect, waiter, "SELECT name FROM holdfast_lock WHERE name = ? FOR UPDATE");
            CompletableFuture<ReleaseOutcome> release = CompletableFuture.supplyAsync(
                    () -> store.release(List.of(held)).get(0));
            Awaitility.await().until(() -> Sql.ask(observer, blocked) > 0);
            enterLine(dialect, waiter, waiting);
            executeOn(dialect, waiter, "UPDATE holdfast_lock SET crowded = 1 WHERE name = ?");
            waiter.commit();
            return release.get(30, TimeUnit.SECONDS);
        }
    }

    private static String blockedRelease(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL ->
                "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND query LIKE 'UPDATE holdfast_lock%'";
            case MARIADB -> "SELECT COUNT(*) FROM information_schema.innodb_lock_waits";
            case MYSQL -> "SELECT COUNT(*) FROM performance_schema.data_lock_waits";
            case H2 -> "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
        };
    }

    /** As after an outage in which the lock was handed over: a renewal after the wait might come too late. */
    @ParameterizedTest
    @EnumSource
    void grantThatIsFoundWithLittleLeftHasItsWholeLease(Dialect dialect) throws SQLException, InterruptedException {
        Claim waiting = TestContext.claim(LEASE, "late").queued(true);
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection operator = SERVERS.connect(dialect)) {
            Grant held = takeAfresh(store);
            assertThat(store.tryAcquire(waiting)).isInstanceOf(AcquireOutcome.Contended.class);
            store.release(List.of(held));
            executeOn(dialect, operator, "UPDATE holdfast_lock SET expires = expires - 2500000 WHERE name = ?");

            assertThat(store.poll(List.of(waiting)))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            AcquireOutcome.Granted.class,
                            granted -> assertThat(granted.grants())
                                    .singleElement()
                                    .satisfies(grant ->
                                            assertThat(grant.validFor()).isGreaterThan(LEASE.dividedBy(2))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void nameWhoseRowWasPurgedIsTakenAllTheSame(Dialect dialect) throws SQLException, InterruptedException {
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection operator = SERVERS.connect(dialect)) {
            Grant first = takeAfresh(store);
            store.release(List.of(first));
            executeOn(dialect, operator, "DELETE FROM holdfast_lock WHERE name = ?");
            Grant second = take(store, TestContext.claim(LEASE, "late"));

            assertThat(second.epoch()).isGreaterThan(first.epoch());
            assertThat(store.release(List.of(second))).containsExactly(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void contendedAcquireIsRefusedHoweverAffectedRowsAreCounted() throws SQLException, InterruptedException {
        for (Dialect dialect : List.of(Dialect.MARIADB, Dialect.MYSQL)) {
            for (boolean affected : new boolean[] {true, false}) {
                String url = SERVERS.url(dialect) + "&useAffectedRows=" + affected + "#connections=1";
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
                    long last = held.epoch();
                    for (int i = 0; i < 5; i++) {
                        // Of a row that is there, the epoch is told as the number of an update, and nothing is released
                        // with a wrong one: such as that of another name, which this connection was told before.
                        store.release(List.of(take(store, TestContext.claim(LEASE, "between"))));
                        assertThat(store.tryAcquire(TestContext.claim(LEASE, "other")))
                                .isInstanceOf(AcquireOutcome.Contended.class);
                        Grant next = take(store, TestContext.claim(LEASE, "rows"));
                        assertThat(next.epoch()).isGreaterThan(last);
                        last = next.epoch();
                        assertThat(store.release(List.of(next))).containsExactly(ReleaseOutcome.RELEASED);
                    }
                    store.release(List.of(other));
                    store.evict("rows", OptionalLong.empty(), "test", "done");
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

    /** Tests of one database share the name, and the one before has left it to its waiter. */
    private static Grant takeAfresh(LockStore store) {
        store.evict("late", OptionalLong.empty(), "test", "left by another test");
        return take(store, TestContext.claim(LEASE, "late"));
    }

    private static void enterLine(Dialect dialect, Connection connection, Claim claim) throws SQLException {
        String forEver = "9000000000000000";
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO holdfast_claim (name, owner, state,"
                + " arrival, units, parts, epoch, expires, lease, since, client, client_name, label) VALUES (?, ?, 'W',"
                + " 1, 1, 1, 0, " + forEver + ", 30000000, 1, ?, 'late', '')")) {
            dialect.bindName(statement, 1, "late");
            statement.setString(2, claim.owner().toString());
            statement.setString(3, claim.owner().toString());
            statement.executeUpdate();
        }
    }

    private static String holder(Dialect dialect, Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT owner FROM holdfast_lock WHERE name = ?")) {
            dialect.bindName(statement, 1, "late");
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private static void executeOn(Dialect dialect, Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            dialect.bindName(statement, 1, "late");
            statement.execute();
        }
    }
}
