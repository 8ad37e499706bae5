package dev.holdfast.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.TestContext;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.DriverSource;
import dev.holdfast.jdbc.dialect.Schema;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreContext;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows of idle names are deleted, and no epoch repeats because of it. */
final class PurgeTest {
    private static final String URL = "jdbc:h2:mem:purge";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long AT_ONCE = 0;

    private final TestContext surroundings = new TestContext();
    private Connection keepAlive;
    private Database database;
    private LeaseStore store;

    @BeforeEach
    void openStore() throws SQLException {
        keepAlive = DriverManager.getConnection(URL);
        StoreContext context = surroundings.context();
        database = new Database(
                new Connections(new DriverSource(URL, null, context.commandTimeout()), 4, context.commandTimeout()),
                context);
        Schema schema = new Schema("lease", "holdfast_", Schema.Mode.CREATE);
        store = new LeaseStore(database, schema, context, Optional.of(Dialect.H2), false);
    }

    @AfterEach
    void closeStore() throws SQLException {
        store.close();
        keepAlive.close();
        surroundings.close();
    }

    @Test
    void idleRowIsDeletedAtTheTurnAfterTheFloorWasRaised() throws SQLException {
        Grant idle = take("idle");
        store.release(List.of(idle));
        take("held");

        assertThat(turn()).isTrue();
        assertThat(names()).as("the floor is only being raised").contains("idle", "held");
        assertThat(turn()).isTrue();
        assertThat(names()).containsExactly("held");
    }

    @Test
    void epochAfterAPurgeIsLargerThanThoseBeforeIt() throws SQLException {
        Grant before = take("idle");
        store.release(List.of(before));
        turn();
        turn();
        assertThat(names()).isEmpty();

        assertThat(take("idle").epoch()).isGreaterThan(before.epoch());
    }

    @Test
    void floorHoldsEvenIfTheClockWasSetBack() throws SQLException {
        long future = take("clock").epoch() + Duration.ofHours(1).toNanos() / 1_000;
        try (Statement statement = keepAlive.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_meta SET floor_epoch = " + future);
        }

        assertThat(take("unknown").epoch()).isEqualTo(future + 1);
    }

    @Test
    void onlyOneClientTakesATurn() {
        store.ping();
        LeaseSql sql = new LeaseSql(Dialect.H2, "holdfast_");
        long hour = Duration.ofHours(1).toNanos() / 1_000;

        assertThat(new Purge(store, database, sql, hour, AT_ONCE).run()).isTrue();
        assertThat(new Purge(store, database, sql, hour, AT_ONCE).run()).isFalse();
    }

    private boolean turn() {
        return new Purge(store, database, new LeaseSql(Dialect.H2, "holdfast_"), AT_ONCE, AT_ONCE).run();
    }

    private Grant take(String name) {
        Claim claim = TestContext.claim(LEASE, name);
        AcquireOutcome outcome = store.tryAcquire(claim);
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }

    private List<String> names() throws SQLException {
        try (Statement statement = keepAlive.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM holdfast_lock ORDER BY name")) {
            List<String> names = new java.util.ArrayList<>();
            while (rows.next()) {
                names.add(Dialect.H2.readName(rows, 1));
            }
            return names;
        }
    }
}
