package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreUri;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A waiter that is first in line and cannot be handed the lock by itself, because it waits for other names too or for more
 * units than are free: nobody behind it is granted anything while it keeps its place, so that has to end soon after its
 * death (P12), and not before (P13).
 */
final class DeadWaiterTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration COMMAND = Duration.ofSeconds(2);

    /** What a waiter that is not heard of keeps its place for. */
    private static final Duration PLACE = COMMAND.multipliedBy(2).plusSeconds(2);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final DialectServers SERVERS = new DialectServers();

    @Test
    void namesOfAKilledWaiterForSeveralAreSoonGrantedToOthers()
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        assertThatOthersGetThem(SERVERS.url(Dialect.POSTGRESQL));
    }

    @ParameterizedTest
    @EnumSource(
            value = Dialect.class,
            names = {"MARIADB", "MYSQL"})
    @Tag("full")
    void namesOfAKilledWaiterForSeveralAreSoonGrantedToOthers(Dialect dialect)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        assertThatOthersGetThem(SERVERS.url(dialect));
    }

    @Test
    @Tag("full")
    void namesOfAKilledWaiterForSeveralAreSoonGrantedToOthersOnH2()
            throws IOException, InterruptedException, ExecutionException, TimeoutException, SQLException {
        try (H2Server server = H2Server.start()) {
            assertThatOthersGetThem(server.url());
        }
    }

    private static void assertThatOthersGetThem(String url)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        try (Holdfast locks = Holdfast.connect(url);
                Holdfast others = Holdfast.connect(url)) {
            Lease held = locks.lock("first").acquire();
            Process killed = process(url, "first", "second");
            try {
                untilWaiters(locks, 1);
                CompletableFuture<Lease> next = others.lock("first").acquireAsync();
                untilWaiters(locks, 2);
                killed.destroyForcibly().waitFor();
                held.close();

                // Twice the time, for a busy machine; its place had been kept for 24 s.
                try (Lease lease = next.get(PLACE.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS)) {
                    assertThat(lease.token()).isGreaterThan(held.token());
                }
            } finally {
                killed.destroyForcibly().waitFor();
            }
        }
    }

    private static void untilWaiters(Holdfast observer, int count) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> observer.inspect("first")
                        .filter(view -> view.waiters().size() == count)
                        .isPresent());
    }

    private static Process process(String... arguments) throws IOException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                WaiterProcess.class.getName()),
                        Stream.of(arguments))
                .toList();
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Also when it has been heard of many times, so it is looked at again and again. */
    @ParameterizedTest
    @EnumSource
    void placeThatBlocksOthersNeverLastsLongerThanThat(Dialect dialect) throws SQLException, InterruptedException {
        Claim holder = TestContext.claim(LEASE, "kept");
        Claim several = TestContext.claim(LEASE, "kept", "kept too").queued(true);
        Claim permits = permits("permits", 2).queued(true);
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection observer = SERVERS.connect(dialect)) {
            assertThat(store.tryAcquire(holder)).isInstanceOf(AcquireOutcome.Granted.class);
            assertThat(store.tryAcquire(permits("permits", 1))).isInstanceOf(AcquireOutcome.Granted.class);
            for (Claim claim : List.of(several, permits)) {
                assertThat(store.tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
                long entered = expires(observer, claim);
                assertThat(longestPlace(dialect, observer)).isLessThanOrEqualTo(micros(PLACE));
                Awaitility.await().atMost(PATIENCE).until(() -> expires(observer, claim) > entered);
                assertThat(longestPlace(dialect, observer)).isLessThanOrEqualTo(micros(PLACE));
            }
            store.withdraw(several, false);
            store.withdraw(permits, false);
        }
    }

    /** Whoever waits for one whole name is handed it for a moment, so that to be absent costs the others little. */
    @Test
    void placeOfAPlainWaiterIsKeptForLonger() throws SQLException, InterruptedException {
        Dialect dialect = Dialect.POSTGRESQL;
        Claim plain = TestContext.claim(LEASE, "plain").queued(true);
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                Connection observer = SERVERS.connect(dialect)) {
            assertThat(store.tryAcquire(TestContext.claim(LEASE, "plain"))).isInstanceOf(AcquireOutcome.Granted.class);
            assertThat(store.tryAcquire(plain)).isInstanceOf(AcquireOutcome.Contended.class);

            assertThat(longestPlace(dialect, observer)).isGreaterThan(micros(PLACE.multipliedBy(2)));
            store.withdraw(plain, false);
        }
    }

    @Test
    @Tag("full")
    void slowWaiterKeepsItsPlace() throws SQLException, InterruptedException {
        DatabaseServer server = Postgres.start(RIG);
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        Claim slow = TestContext.claim(LEASE, "slow", "slow too").queued(true);
        try (TestContext context = new TestContext();
                LockStore near = open(server.access().jdbcUrlWithCredentials(), context);
                LockStore far = open(server.accessThrough(cable.port()).jdbcUrlWithCredentials(), context);
                Connection observer = server.connect()) {
            assertThat(near.tryAcquire(TestContext.claim(LEASE, "slow"))).isInstanceOf(AcquireOutcome.Granted.class);
            assertThat(far.tryAcquire(slow)).isInstanceOf(AcquireOutcome.Contended.class);
            // A connection is tried, the waiter looks and says that it lives: three trips, most of what a call may
            // take.
            cable.delay(COMMAND.dividedBy(8));
            long arrival = Sql.ask(observer, "SELECT arrival FROM holdfast_claim WHERE name = 'slow'");
            long entered = expires(observer, slow);
            Awaitility.await().atMost(PATIENCE).until(() -> expires(observer, slow) > entered + 2 * micros(PLACE));

            assertThat(Sql.ask(observer, "SELECT arrival FROM holdfast_claim WHERE name = 'slow'"))
                    .isEqualTo(arrival);
            cable.heal();
        }
    }

    /** Its place has gone to others meanwhile, so it stands at the end; it is granted nothing that it does not ask for. */
    @Test
    void waiterThatWasAbsentForTooLongStandsAtTheEnd() throws SQLException, InterruptedException {
        Dialect dialect = Dialect.POSTGRESQL;
        Claim holder = TestContext.claim(LEASE, "absent");
        Claim absent = TestContext.claim(LEASE, "absent", "absent too").queued(true);
        Claim next = TestContext.claim(LEASE, "absent").queued(true);
        try (TestContext context = new TestContext();
                LockStore store = open(SERVERS.url(dialect), context);
                LockStore paused = open(SERVERS.url(dialect), context);
                Connection operator = SERVERS.connect(dialect)) {
            Grant held = granted(store.tryAcquire(holder)).get(0);
            assertThat(paused.tryAcquire(absent)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(store.tryAcquire(next)).isInstanceOf(AcquireOutcome.Contended.class);
            Sql.tell(operator, "UPDATE holdfast_claim SET expires = 0 WHERE owner = '" + absent.owner() + "'");
            store.release(List.of(held));

            assertThat(granted(store.poll(List.of(next)).get(0))).hasSize(1);
            assertThat(paused.poll(List.of(absent)).get(0)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(store.release(granted(store.poll(List.of(next)).get(0)))).hasSize(1);
            assertThat(granted(paused.poll(List.of(absent)).get(0))).hasSize(2);
        }
    }

    private static List<Grant> granted(AcquireOutcome outcome) {
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants();
    }

    private static Claim permits(String name, int units) {
        Claim whole = TestContext.claim(LEASE, name);
        return new Claim(
                List.of(new Claim.Part(name, LockKind.SEMAPHORE, units, 2)),
                whole.owner(),
                whole.lease(),
                whole.holder(),
                false);
    }

    private static LockStore open(String url, TestContext context) {
        return new JdbcStoreProvider().open(StoreUri.parse(url, Map.of(), null), context.within(COMMAND));
    }

    private static long micros(Duration time) {
        return TimeUnit.NANOSECONDS.toMicros(time.toNanos());
    }

    private static long expires(Connection observer, Claim claim) throws SQLException {
        return Sql.ask(observer, "SELECT MIN(expires) FROM holdfast_claim WHERE owner = '" + claim.owner() + "'");
    }

    /** As the database's clock sees it, so the machine may be as slow as it likes. */
    private static long longestPlace(Dialect dialect, Connection observer) throws SQLException {
        return Sql.ask(
                observer,
                "SELECT COALESCE(MAX(expires), 0) - " + dialect.now() + " FROM holdfast_claim WHERE state = 'W'");
    }
}
