package dev.holdfast.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.DialectServers;
import dev.holdfast.jdbc.SchemaMode;
import dev.holdfast.jdbc.TestContext;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.jdbc.dialect.Schema;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of idle names are deleted, and no epoch repeats because of it; on every database. */
final class PurgeTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long AT_ONCE = 0;

    /** More than two steps of a purge. */
    private static final int BACKLOG = 250;

    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    private static final DialectServers SERVERS = new DialectServers();
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final TestContext surroundings = new TestContext();

    /** Every test has tables of its own. */
    private final String prefix = "purge" + TESTS.incrementAndGet() + "_";

    private Dialect dialect;
    private Connection operator;
    private Database database;
    private LeaseStore store;

    private void open(Dialect chosen) throws SQLException, InterruptedException {
        dialect = chosen;
        operator = SERVERS.connect(chosen);
        StoreContext context = surroundings.context();
        database = SERVERS.open(chosen, context);
        Schema schema = new Schema("lease", prefix, SchemaMode.CREATE);
        store = new LeaseStore(database, schema, context, Optional.of(chosen), new LeaseStore.Options(false, 0, false));
    }

    @AfterEach
    void end() throws SQLException {
        closeStore();
        surroundings.close();
    }

    private void closeStore() throws SQLException {
        if (store != null) {
            store.close();
            operator.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void idleRowIsDeletedAtTheTurnAfterTheFloorWasRaised(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        Grant idle = take("idle");
        store.release(List.of(idle));
        take("held");

        assertThat(turn()).isTrue();
        assertThat(names()).as("the floor is only being raised").contains("idle", "held");
        assertThat(turn()).isTrue();
        assertThat(names()).containsExactly("held");
    }

    @ParameterizedTest
    @EnumSource
    void epochAfterAPurgeIsLargerThanThoseBeforeIt(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        Grant before = take("idle");
        store.release(List.of(before));
        turn();
        turn();
        assertThat(names()).isEmpty();

        assertThat(ask("SELECT floor_epoch FROM " + prefix + "meta")).isGreaterThanOrEqualTo(before.epoch());
        assertThat(take("idle").epoch()).isGreaterThan(before.epoch());
    }

    @ParameterizedTest
    @EnumSource
    void floorHoldsEvenIfTheClockWasSetBack(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        long future = take("clock").epoch() + HOUR_MICROS;
        update("UPDATE " + prefix + "meta SET floor_epoch = " + future);
        closeStore();
        open(chosen);

        assertThat(take("unknown").epoch()).isEqualTo(future + 1);
        assertThat(grants(TestContext.claim(LEASE, "one", "two")))
                .as("rows that a transaction makes")
                .allMatch(grant -> grant.epoch() == future + 1);
    }

    @ParameterizedTest
    @EnumSource
    void idleRowWhoseEpochTheFloorHasNotReachedStays(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        Grant before = take("ahead");
        store.release(List.of(before));
        long future = before.epoch() + HOUR_MICROS;
        update("UPDATE " + prefix + "lock SET epoch = " + future);
        turn();
        turn();

        assertThat(names()).containsExactly("ahead");
        assertThat(take("ahead").epoch()).isEqualTo(future + 1);
    }

    /** One statement for all of them would wait, and never be done within a command timeout. */
    @ParameterizedTest
    @EnumSource
    void rowThatSomebodyKeepsLockedHoldsUpNoOther(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        for (String name : List.of("a", "locked", "z")) {
            store.release(List.of(take(name)));
        }
        turn();
        try (Connection paused = SERVERS.connect(chosen)) {
            paused.setAutoCommit(false);
            try (PreparedStatement statement =
                    paused.prepareStatement("SELECT name FROM " + prefix + "lock WHERE name = ? FOR UPDATE")) {
                dialect.bindName(statement, 1, "locked");
                statement.executeQuery().close();
            }
            turn();

            assertThat(names()).containsExactly("locked");
            paused.rollback();
        }
        turn();
        assertThat(names()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void backlogIsDeletedAndSweptAwayInOneTurn(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        store.ping();
        String gone = TestContext.claim(LEASE, "left").owner().toString();
        for (int i = 0; i < BACKLOG; i++) {
            insert(
                    "lock (name, kind, capacity, epoch, expires, lease, since, crowded) VALUES (?, 0, 1, 0, 0, 0, 0, 0)",
                    "idle" + i);
            insert(
                    "lock (name, kind, capacity, epoch, expires, lease, since, crowded) VALUES (?, 0, 1, 1, 0, 0, 0, 1)",
                    "left" + i);
            insert(
                    "claim (name, owner, state, arrival, units, parts, epoch, expires, lease, since, client, client_name,"
                            + " label) VALUES (?, '" + gone + "', 'W', 1, 1, 1, 0, 1, 30000000, 1, '" + gone
                            + "', 'gone', '')",
                    "left" + i);
        }
        turn();

        assertThat(ask("SELECT COUNT(*) FROM " + prefix + "claim")).isZero();
        assertThat(names()).hasSize(BACKLOG).allMatch(name -> name.startsWith("left"));
        turn();
        assertThat(names()).isEmpty();
    }

    private void insert(String what, String name) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement("INSERT INTO " + prefix + what)) {
            dialect.bindName(statement, 1, name);
            statement.executeUpdate();
        }
    }

    /** The floor may have been raised a moment ago, and whoever makes a row may still use the one before. */
    @ParameterizedTest
    @EnumSource
    void nobodyHasATurnRightAfterTheClockWasSetBack(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        store.release(List.of(take("idle")));
        assertThat(turn()).isTrue();
        update("UPDATE " + prefix + "meta SET purged_at = purged_at + " + HOUR_MICROS);

        assertThat(turnAfter(HOUR_MICROS)).isFalse();
        assertThat(names()).containsExactly("idle");
        assertThat(turnAfter(HOUR_MICROS)).isFalse();
        assertThat(turn()).isTrue();
        assertThat(names()).isEmpty();
    }

    private boolean turnAfter(long micros) {
        return new Purge(store, database, sql(), floor(), micros, AT_ONCE).run();
    }

    @ParameterizedTest
    @EnumSource
    void entryOfAWaiterThatIsGoneIsSweptAway(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        take("left");
        String owner = TestContext.claim(LEASE, "left").owner().toString();
        try (PreparedStatement statement = operator.prepareStatement("INSERT INTO " + prefix + "claim (name, owner,"
                + " state, arrival, units, parts, epoch, expires, lease, since, client, client_name, label)"
                + " VALUES (?, ?, 'W', 1, 1, 1, 0, 1, 30000000, 1, ?, 'gone', '')")) {
            dialect.bindName(statement, 1, "left");
            statement.setString(2, owner);
            statement.setString(3, owner);
            statement.executeUpdate();
        }
        update("UPDATE " + prefix + "lock SET crowded = 1");
        turn();

        assertThat(ask("SELECT COUNT(*) FROM " + prefix + "claim")).isZero();
        assertThat(ask("SELECT crowded FROM " + prefix + "lock")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void onlyOneClientTakesATurn(Dialect chosen) throws SQLException, InterruptedException {
        open(chosen);
        store.ping();

        assertThat(new Purge(store, database, sql(), floor(), HOUR_MICROS, AT_ONCE).run())
                .isTrue();
        assertThat(new Purge(store, database, sql(), floor(), HOUR_MICROS, AT_ONCE).run())
                .isFalse();
    }

    private Epochs epochs() {
        return new Epochs(dialect, dialect == Dialect.POSTGRESQL, 0);
    }

    private LeaseSql sql() {
        return new LeaseSql(epochs(), prefix);
    }

    private Floor floor() {
        return new Floor(epochs(), prefix);
    }

    private boolean turn() {
        return new Purge(store, database, sql(), floor(), AT_ONCE, AT_ONCE).run();
    }

    private Grant take(String name) {
        return grants(TestContext.claim(LEASE, name)).get(0);
    }

    private List<Grant> grants(Claim claim) {
        AcquireOutcome outcome = store.tryAcquire(claim);
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants();
    }

    private List<String> names() throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM " + prefix + "lock ORDER BY name")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(dialect.readName(rows, 1));
            }
            return names;
        }
    }

    private void update(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private long ask(String sql) throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
