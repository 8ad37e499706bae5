package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreUri;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * What clients tell each other through PostgreSQL, overheard. Whoever waits looks twice a second besides, so that locks
 * would be handed over without a single notification, and slowly.
 */
final class PostgresNoticeTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final DialectServers SERVERS = new DialectServers();

    @Test
    void holderIsToldOfTheFirstWhoWaits() throws SQLException, InterruptedException {
        try (TestContext context = new TestContext();
                LockStore holder = open("", context, new TestContext.Deaf());
                LockStore waiter = open("", context, new TestContext.Deaf());
                Connection observer = SERVERS.connect(Dialect.POSTGRESQL)) {
            Grant held = take(holder, "wanted");
            try (Ear ear = earOf(observer, "SELECT client FROM holdfast_lock WHERE owner = ?", held.owner())) {
                queue(waiter, "wanted");

                assertThat(ear.next()).isEqualTo("w " + held.owner() + " " + held.epoch() + " wanted");
            }
        }
    }

    @Test
    void waiterIsToldItsGrantWhenTheHolderKnowsThatItIsWanted() throws SQLException, InterruptedException {
        Queue<Long> wanted = new ConcurrentLinkedQueue<>();
        Queue<Grant> granted = new ConcurrentLinkedQueue<>();
        try (TestContext context = new TestContext();
                LockStore holder = open("", context, new TestContext.Deaf() {
                    @Override
                    public void wanted(String name, long epoch) {
                        wanted.add(epoch);
                    }
                });
                LockStore waiter = open("", context, new TestContext.Deaf() {
                    @Override
                    public void granted(List<Grant> grants, long anchorNanos) {
                        granted.addAll(grants);
                    }
                });
                Connection observer = SERVERS.connect(Dialect.POSTGRESQL)) {
            Grant held = take(holder, "granted");
            long invented = 4711;
            String channel = channelOf(observer, "SELECT client FROM holdfast_lock WHERE owner = ?", held.owner());
            // Nobody but this test knows the number, so that the holder can only have heard it.
            Awaitility.await().until(() -> {
                notify(observer, channel, "w " + held.owner() + " " + invented + " granted");
                return wanted.contains(invented);
            });
            Claim waiting = queue(waiter, "granted");
            try (Ear ear = earOf(observer, "SELECT client FROM holdfast_claim WHERE owner = ?", waiting.owner())) {
                assertThat(holder.release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
                long epoch = Long.parseLong(
                        ask(observer, "SELECT epoch FROM holdfast_lock WHERE owner = ?", waiting.owner()));

                assertThat(epoch).isGreaterThan(held.epoch());
                assertThat(ear.next()).matches("g " + waiting.owner() + " " + epoch + ":\\d+:\\d+:\\d+:0 granted");
                Awaitility.await().until(() -> !granted.isEmpty());
                assertThat(granted).allSatisfy(grant -> {
                    assertThat(grant.owner()).isEqualTo(waiting.owner());
                    assertThat(grant.epoch()).isEqualTo(epoch);
                });
            }
        }
    }

    @Test
    void holderWithoutNotificationsSendsNoneAndTheWaiterIsServedAllTheSame() throws SQLException, InterruptedException {
        try (TestContext context = new TestContext();
                LockStore holder = open("#notifications=off", context, new TestContext.Deaf());
                LockStore waiter = open("", context, new TestContext.Deaf());
                Connection observer = SERVERS.connect(Dialect.POSTGRESQL)) {
            Grant held = take(holder, "asked");
            Claim waiting = queue(waiter, "asked");
            String query = "SELECT client FROM holdfast_claim WHERE owner = ?";
            String channel = "holdfast_" + ask(observer, query, waiting.owner());
            try (Ear ear = earOf(observer, query, waiting.owner())) {
                assertThat(holder.release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
                notify(observer, channel, "the first that is heard");

                assertThat(ear.next()).isEqualTo("the first that is heard");
                Awaitility.await().until(() -> waiter.tryAcquire(waiting) instanceof AcquireOutcome.Granted);
            }
        }
    }

    @Test
    void holderIsToldByTheNextWaiterIfTheFirstTellsNothing() throws SQLException, InterruptedException {
        try (TestContext context = new TestContext();
                LockStore holder = open("", context, new TestContext.Deaf());
                LockStore first = open("#notifications=off", context, new TestContext.Deaf());
                LockStore second = open("", context, new TestContext.Deaf());
                LockStore third = open("", context, new TestContext.Deaf());
                Connection observer = SERVERS.connect(Dialect.POSTGRESQL)) {
            Grant held = take(holder, "mixed");
            String query = "SELECT client FROM holdfast_lock WHERE owner = ?";
            String channel = channelOf(observer, query, held.owner());
            try (Ear ear = earOf(observer, query, held.owner())) {
                queue(first, "mixed");
                queue(second, "mixed");
                notify(observer, channel, "after the second");
                queue(third, "mixed");
                notify(observer, channel, "after the third");

                assertThat(ear.next()).isEqualTo("w " + held.owner() + " " + held.epoch() + " mixed");
                assertThat(ear.next()).isEqualTo("after the second");
                assertThat(ear.next()).as("nothing more").isEqualTo("after the third");
            }
        }
    }

    @Test
    void waiterWithoutNotificationsTellsTheHolderNothing() throws SQLException, InterruptedException {
        try (TestContext context = new TestContext();
                LockStore holder = open("", context, new TestContext.Deaf());
                LockStore waiter = open("#notifications=off", context, new TestContext.Deaf());
                Connection observer = SERVERS.connect(Dialect.POSTGRESQL)) {
            Grant held = take(holder, "untold");
            String query = "SELECT client FROM holdfast_lock WHERE owner = ?";
            String channel = channelOf(observer, query, held.owner());
            try (Ear ear = earOf(observer, query, held.owner())) {
                Claim waiting = queue(waiter, "untold");
                waiter.poll(List.of(waiting));
                waiter.withdraw(waiting, true);
                notify(observer, channel, "the first that is heard");

                assertThat(ear.next()).isEqualTo("the first that is heard");
            }
        }
    }

    private static LockStore open(String options, TestContext context, StoreListener listener)
            throws InterruptedException {
        return new JdbcStoreProvider()
                .open(
                        StoreUri.parse(SERVERS.url(Dialect.POSTGRESQL) + options, Map.of(), null),
                        context.context(listener));
    }

    private static Grant take(LockStore store, String name) {
        AcquireOutcome outcome = store.tryAcquire(TestContext.claim(LEASE, name));
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }

    private static Claim queue(LockStore store, String name) {
        Claim claim = TestContext.claim(LEASE, name).queued(true);
        assertThat(store.tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
        return claim;
    }

    private static Ear earOf(Connection observer, String sql, Object owner) throws SQLException, InterruptedException {
        return Ear.on(SERVERS.connect(Dialect.POSTGRESQL), channelOf(observer, sql, owner));
    }

    private static String channelOf(Connection observer, String sql, Object owner) throws SQLException {
        return "holdfast_" + ask(observer, sql, owner);
    }

    private static String ask(Connection connection, String sql, Object owner) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, owner.toString());
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getString(1);
            }
        }
    }

    private static void notify(Connection connection, String channel, String text) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            statement.setString(1, channel);
            statement.setString(2, text);
            statement.execute();
        }
    }
}
