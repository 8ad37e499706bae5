package dev.holdfast.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.jdbc.DialectServers;
import dev.holdfast.jdbc.JdbcStore;
import dev.holdfast.jdbc.Strategy;
import dev.holdfast.jdbc.TestContext;
import dev.holdfast.jdbc.advisory.PostgresAdvisory;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.jdbc.dialect.PoolSource;
import dev.holdfast.jdbc.row.RowLock;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is left of idle names is deleted; no lock and no epoch suffers, on every database and at both usual levels. */
final class IdleNamesTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long AT_ONCE = 0;
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    /** The floor is raised, relied upon, and on PostgreSQL a name is marked in between. */
    private static final int ENOUGH_TURNS = 3;

    private static final DialectServers SERVERS = new DialectServers();
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final TestContext surroundings = new TestContext();
    private final String prefix = "idle" + TESTS.incrementAndGet() + "_";
    private final List<AutoCloseable> open = new ArrayList<>();
    private Dialect dialect = Dialect.H2;
    private HikariDataSource pool = new HikariDataSource();
    private Connection operator;
    private IdleNames idle;
    private LockStore store;

    static Stream<Arguments> everywhere() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> Stream.of("TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ")
                        .map(level -> Arguments.of(dialect, level)));
    }

    private void open(Dialect chosen, String level, Strategy strategy) throws SQLException, InterruptedException {
        dialect = chosen;
        operator = SERVERS.connect(chosen);
        pool = new HikariDataSource();
        pool.setJdbcUrl(SERVERS.url(chosen));
        pool.setTransactionIsolation(level);
        pool.setMaximumPoolSize(10);
        store = newStore(strategy);
        store.ping();
        Database database = new Database(
                new Connections(new PoolSource(pool), 2, surroundings.context().commandTimeout()),
                surroundings.context());
        open.add(database);
        Epochs epochs = new Epochs(chosen, chosen == Dialect.POSTGRESQL, 0);
        idle = new IdleNames(
                database,
                chosen,
                new RegisterSql(epochs, prefix),
                new Floor(epochs, prefix),
                PostgresAdvisory.isFree(chosen, prefix),
                AT_ONCE,
                AT_ONCE);
    }

    private LockStore newStore(Strategy strategy) {
        LockStore made =
                JdbcStore.on(pool).withStrategy(strategy).withPrefix(prefix).open(surroundings.context());
        open.add(0, made);
        return made;
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        if (operator != null) {
            operator.close();
        }
        pool.close();
        surroundings.close();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void idleNameIsDeletedAndItsTokensGoOnGrowing(Dialect chosen, String level)
            throws SQLException, InterruptedException {
        open(chosen, level, Strategy.ROW);
        Grant before = take("idle");
        store.release(List.of(before));
        Grant held = take("held");
        turns();

        assertThat(names("session")).containsExactly("held");
        assertThat(names("row")).containsExactly("held");
        assertThat(store.tryAcquire(TestContext.claim(LEASE, "held"))).isInstanceOf(AcquireOutcome.Contended.class);
        assertThat(store.inspect("held").orElseThrow().holders()).hasSize(1);
        Grant after = take("idle");
        assertThat(after.epoch()).isGreaterThan(before.epoch());
        store.release(List.of(held, after));
    }

    @ParameterizedTest
    @EnumSource
    void epochOfANameWithoutARowIsAboveTheFloor(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen, "TRANSACTION_READ_COMMITTED", Strategy.ROW);
        long future = take("clock").epoch() + HOUR_MICROS;
        tell("UPDATE " + prefix + "meta SET floor_epoch = " + future);
        store = newStore(Strategy.ROW);

        assertThat(take("unknown").epoch()).isEqualTo(future + 1);
    }

    @ParameterizedTest
    @EnumSource
    void nameWhoseEpochTheFloorHasNotReachedStays(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen, "TRANSACTION_READ_COMMITTED", Strategy.ROW);
        Grant before = take("ahead");
        store.release(List.of(before));
        long future = before.epoch() + HOUR_MICROS;
        tell("UPDATE " + prefix + "session SET epoch = " + future);
        turns();

        assertThat(names("session")).containsExactly("ahead");
        assertThat(take("ahead").epoch()).isEqualTo(future + 1);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void nameThatIsGrantedAfterItWasLookedAtStays(Dialect chosen, String level)
            throws SQLException, InterruptedException {
        open(chosen, level, Strategy.ROW);
        Grant before = take("busy");
        store.release(List.of(before));
        Grant next = take("busy");
        store.release(List.of(next));
        idle.delete(List.of("busy"), before.epoch());

        assertThat(names("session")).containsExactly("busy");
        assertThat(take("busy").epoch()).isGreaterThan(next.epoch());
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void rowThatATransactionHasLockedStaysAndHoldsUpNoOther(Dialect chosen, String level)
            throws SQLException, InterruptedException {
        open(chosen, level, Strategy.ROW);
        store.release(List.of(take("mixed")));
        store.release(List.of(take("other")));
        JdbcStore factory = JdbcStore.on(pool).withStrategy(Strategy.ROW).withPrefix(prefix);
        try (Connection mine = pool.getConnection();
                Connection second = pool.getConnection()) {
            mine.setAutoCommit(false);
            second.setAutoCommit(false);
            assertThat(factory.onConnection(mine).tryLock("mixed")).isTrue();
            turns();

            assertThat(names("row")).containsExactly("mixed");
            assertThat(factory.onConnection(second).tryLock("mixed")).isFalse();
            second.rollback();
            mine.rollback();
            turns();
            assertThat(names("row")).isEmpty();
            assertThat(factory.onConnection(second).tryLock("mixed")).isTrue();
            assertThat(factory.onConnection(mine).tryLock("mixed")).isFalse();
            second.rollback();
            mine.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowThatIsPurgedBeforeItIsLockedIsMadeAgain(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen, "TRANSACTION_READ_COMMITTED", Strategy.ROW);
        RowLock rows = new RowLock(chosen, prefix);
        List<Claim.Part> parts = TestContext.claim(LEASE, "gone", "gone too").parts();
        try (Connection one = SERVERS.connect(chosen);
                Connection other = SERVERS.connect(chosen)) {
            rows.prepare(one, parts);
            tell("DELETE FROM " + prefix + "row");

            assertThat(rows.tryLock(one, parts, (number, begun) -> {})).isTrue();
            assertThat(rows.tryLock(other, parts, (number, begun) -> {})).isFalse();
            rows.unlock(one, parts);
        }
    }

    /** Far more often than in use, so that every step of an acquire meets every step of a purge. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void purgeBesideAcquiresGivesNoLockToTwo(Dialect chosen, String level)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        open(chosen, level, Strategy.ROW);
        int clients = 3;
        // On MySQL and MariaDB each row that is made at the same time costs a second.
        int enough = chosen.isMySqlFamily() ? 5 : 30;
        AtomicBoolean held = new AtomicBoolean();
        AtomicInteger running = new AtomicInteger(clients);
        Set<Long> epochs = ConcurrentHashMap.newKeySet();
        Callable<Boolean> client = () -> {
            for (int granted = 0; granted < enough; ) {
                if (store.tryAcquire(TestContext.claim(LEASE, "shared")) instanceof AcquireOutcome.Granted mine) {
                    assertThat(held.compareAndSet(false, true)).as("alone").isTrue();
                    assertThat(epochs.add(mine.grants().get(0).epoch())).isTrue();
                    held.set(false);
                    store.release(mine.grants());
                    granted++;
                }
            }
            running.decrementAndGet();
            return true;
        };
        ExecutorService threads = Executors.newFixedThreadPool(clients + 1);
        try {
            List<Future<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(threads.submit(client));
            }
            Future<Boolean> purges = threads.submit(() -> {
                while (running.get() > 0 && !Thread.interrupted()) {
                    idle.delete(List.of("shared"), Long.MAX_VALUE);
                }
                return true;
            });
            for (Future<Boolean> one : all) {
                assertThat(one.get(120, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(purges.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(epochs).hasSize(clients * enough);
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
    void advisoryLockThatIsHeldStaysListedAndIdleNamesGo(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen, "TRANSACTION_REPEATABLE_READ", Strategy.ADVISORY);
        Grant before = take("idle");
        store.release(List.of(before));
        Grant held = take("held");
        turns();

        assertThat(names("session")).containsExactly("held");
        assertThat(store.inspect("held").orElseThrow().holders())
                .extracting(holder -> holder.token())
                .containsExactly(Grant.token(held.epoch(), 0));
        store.release(List.of(held));
        store = newStore(Strategy.ADVISORY);
        Grant after = take("idle");
        assertThat(after.epoch()).isGreaterThan(before.epoch());
        assertThat(store.inspect("idle")).isPresent();
    }

    @Test
    void advisoryNameThatIsUsedAgainLosesItsMark() throws SQLException, InterruptedException {
        open(Dialect.POSTGRESQL, "TRANSACTION_READ_COMMITTED", Strategy.ADVISORY);
        store.release(List.of(take("daily")));
        idle.run();
        idle.run();
        assertThat(ask("SELECT epoch FROM " + prefix + "session")).as("marked").isZero();
        LockStore another = newStore(Strategy.ADVISORY);
        store = another;
        store.release(List.of(take("daily")));
        idle.run();

        assertThat(names("session")).containsExactly("daily");
    }

    @Test
    void listAnswersAsManyNamesAsItIsAskedFor() throws SQLException, InterruptedException {
        open(Dialect.POSTGRESQL, "TRANSACTION_READ_COMMITTED", Strategy.ROW);
        Grant one = take("list/1");
        Grant two = take("list/2");

        assertThat(store.list("list/", 1)).extracting(view -> view.name()).containsExactly("list/1");
        assertThat(store.list("list/", 2)).hasSize(2);
        store.release(List.of(one, two));
    }

    private void turns() {
        for (int i = 0; i < ENOUGH_TURNS; i++) {
            assertThat(idle.run()).isTrue();
        }
    }

    private Grant take(String name) {
        AcquireOutcome outcome = store.tryAcquire(TestContext.claim(LEASE, name));
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }

    private Set<String> names(String table) throws SQLException {
        Set<String> names = new TreeSet<>();
        try (Statement statement = operator.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM " + prefix + table)) {
            while (rows.next()) {
                names.add(dialect.readName(rows, 1));
            }
        }
        return names;
    }

    private long ask(String sql) throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void tell(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
