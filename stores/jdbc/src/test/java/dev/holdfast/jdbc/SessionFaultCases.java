package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks that a session of the database holds, when things go wrong; on one server for all tests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SessionFaultCases {
    private static final int SECONDS = 60;
    private static final List<String> STRATEGIES = List.of("row", "advisory");

    @RegisterExtension
    final Rig rig = new Rig();

    private DatabaseServer server;

    abstract DatabaseServer start(Rig place) throws InterruptedException;

    /** {@return the strategies whose locks can live and end with a transaction} */
    abstract List<Strategy> inTransactions();

    final DatabaseServer server() {
        return server;
    }

    @BeforeAll
    void startServer() throws InterruptedException {
        server = start(rig);
    }

    @BeforeEach
    void serverRuns() throws InterruptedException {
        if (!server.server().isRunning()) {
            server.start();
        }
    }

    @Test
    void endOfTheServerIsLossAndTheNextTokenIsLarger()
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : STRATEGIES) {
            try (Holdfast locks = connect(strategy, 8)) {
                Lease lease = locks.lock("lost").acquire();
                CompletableFuture<LossReason> told = new CompletableFuture<>();
                lease.onLost(told::complete);
                server.kill();
                assertThat(told.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
                assertThat(lease.isHeld()).isFalse();
                server.start();

                Lease next = locks.lock("lost").acquire();
                assertThat(next.token()).isGreaterThan(lease.token());
                next.close();
            }
        }
    }

    @Test
    @Tag("full")
    void whoWaitsWhenTheServerEndsIsServedWhenItIsBack()
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : STRATEGIES) {
            FaultProxy cable = FaultProxy.before(rig, server.port());
            try (Holdfast holder = connect(strategy, 2);
                    Holdfast other = through(cable, strategy)) {
                Lease lease = holder.lock("awaited").acquire();
                assertThat(other.lock("awaited").tryAcquire()).isEmpty();
                long sent = cable.bytes(Direction.TO_SERVER);
                CompletableFuture<Lease> waiter = other.lock("awaited").acquireAsync();
                Awaitility.await().until(() -> cable.bytes(Direction.TO_SERVER) > sent);
                assertThat(waiter).isNotDone();
                CompletableFuture<LossReason> told = new CompletableFuture<>();
                lease.onLost(told::complete);
                server.kill();
                assertThat(told.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
                server.start();

                try (Lease next = waiter.get(SECONDS, TimeUnit.SECONDS)) {
                    assertThat(next.token()).isGreaterThan(lease.token());
                }
            }
        }
    }

    @Test
    @Tag("full")
    void connectionThatIsCutIsLossAndTheLockGoesToSomebodyElse()
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : STRATEGIES) {
            FaultProxy cable = FaultProxy.before(rig, server.port());
            try (Holdfast locks = through(cable, strategy);
                    Holdfast others = connect(strategy, 2)) {
                Lease lease = locks.lock("cut").acquire();
                CompletableFuture<LossReason> told = new CompletableFuture<>();
                lease.onLost(told::complete);
                CompletableFuture<Lease> waiter = others.lock("cut").acquireAsync();
                cable.cut();

                assertThat(told.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
                assertThat(lease.isHeld()).isFalse();
                try (Lease next = waiter.get(SECONDS, TimeUnit.SECONDS)) {
                    assertThat(next.token()).isGreaterThan(lease.token());
                    assertThat(locks.lock("cut").tryAcquire()).isEmpty();
                }
            }
        }
    }

    @Test
    void epochsGoOnGrowingWhenTheStrategyIsChanged() throws InterruptedException {
        long last = 0;
        for (String strategy : List.of("advisory", "row", "advisory", "row", "advisory", "lease")) {
            try (Holdfast locks = connect(strategy, 2);
                    Lease lease = locks.lock("changed").acquire()) {
                assertThat(lease.token()).as(strategy).isGreaterThan(last);
                last = lease.token();
            }
        }
    }

    @Test
    @Tag("full")
    void lossIsToldOfEveryLockWhenTheDatabaseFallsSilent()
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : STRATEGIES) {
            FaultProxy cable = FaultProxy.before(rig, server.port());
            try (Holdfast locks = through(cable, strategy)) {
                List<Lease> leases = new ArrayList<>();
                List<CompletableFuture<LossReason>> told = new ArrayList<>();
                for (String name : List.of("one", "two", "three")) {
                    CompletableFuture<LossReason> loss = new CompletableFuture<>();
                    Lease lease = locks.lock(name + strategy).acquire();
                    lease.onLost(loss::complete);
                    leases.add(lease);
                    told.add(loss);
                }
                cable.blackHole(Direction.TO_CLIENT, Direction.TO_SERVER);
                for (CompletableFuture<LossReason> loss : told) {
                    assertThat(loss.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
                }
                assertThat(leases).noneMatch(Lease::isHeld);
                cable.heal();
            }
        }
    }

    @Test
    void tenWaitersAreServedOneAfterAnother() throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : STRATEGIES) {
            List<Holdfast> clients = new ArrayList<>();
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            try (Holdfast locks = connect(strategy, 2)) {
                Lease first = locks.lock("queue").acquire();
                for (int i = 0; i < 10; i++) {
                    Holdfast client = connect(strategy, 2);
                    clients.add(client);
                    waiters.add(client.lock("queue").acquireAsync());
                }
                List<Long> tokens = new ArrayList<>(List.of(first.token()));
                first.close();
                while (!waiters.isEmpty()) {
                    CompletableFuture.anyOf(waiters.toArray(CompletableFuture[]::new))
                            .get(SECONDS, TimeUnit.SECONDS);
                    CompletableFuture<Lease> done = waiters.stream()
                            .filter(CompletableFuture::isDone)
                            .findFirst()
                            .orElseThrow();
                    waiters.remove(done);
                    assertThat(waiters).noneMatch(CompletableFuture::isDone);
                    try (Lease lease = done.get()) {
                        tokens.add(lease.token());
                    }
                }
                assertThat(tokens).hasSize(11).isSorted().doesNotHaveDuplicates();
            } finally {
                clients.forEach(Holdfast::close);
            }
        }
    }

    @Test
    void spentShareOfConnectionsIsSaidClearly() throws InterruptedException {
        for (String strategy : STRATEGIES) {
            try (Holdfast locks = connect(strategy, 2)) {
                Lease first = locks.lock("one").acquire();
                Lease second = locks.lock("two").acquire();
                assertThatThrownBy(() -> locks.lock("three").tryAcquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("all 2 connections that may hold locks are in use");
                second.close();
                assertThat(locks.lock("three").tryAcquire()).isPresent();
                assertThat(first.isHeld()).isTrue();
            }
        }
    }

    @Test
    void lockOnACallersTransactionEndsWithIt() throws SQLException {
        for (Strategy strategy : inTransactions()) {
            JdbcStore store = JdbcStore.on(pool()).withStrategy(strategy);
            try (Connection mine = server.connect();
                    Connection other = server.connect()) {
                mine.setAutoCommit(false);
                other.setAutoCommit(false);
                TransactionLocks locks = store.onConnection(mine);
                TransactionLocks others = store.onConnection(other);
                locks.lock("x");
                assertThat(others.tryLock("x")).isFalse();
                assertThat(others.tryLock("y"))
                        .as("the transaction is still usable")
                        .isTrue();
                mine.commit();
                assertThat(others.tryLock("x")).isTrue();
                other.rollback();

                locks.lockShared("x");
                assertThat(others.tryLockShared("x")).isTrue();
                assertThat(others.tryLock("x")).isFalse();
                mine.rollback();
                assertThat(others.tryLock("x")).isTrue();
                other.rollback();
            }
        }
    }

    @Test
    void lockOnATransactionNeedsOne() throws SQLException {
        try (Connection connection = server.connect()) {
            assertThatThrownBy(() -> JdbcStore.on(pool()).onConnection(connection))
                    .isInstanceOf(StoreMisconfiguredException.class);
            assertThatThrownBy(() ->
                            JdbcStore.on(pool()).withStrategy(Strategy.ROW).onConnection(connection))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit");
        }
    }

    final RawPool pool() {
        return rig.keep(new RawPool(
                server.jdbcUrl(), server.user(), server.password(), true, Connection.TRANSACTION_READ_COMMITTED));
    }

    private Holdfast through(FaultProxy cable, String strategy) {
        return Holdfast.connect(server.accessThrough(cable.port()).jdbcUrlWithCredentials() + "#strategy=" + strategy);
    }

    final Holdfast connect(String strategy, int connections) {
        // A cold client of a server that has just started needs more time than others if the machine is busy.
        return Holdfast.builder()
                .url(server.access().jdbcUrlWithCredentials() + "#strategy=" + strategy + "&connections=" + connections)
                .commandTimeout(Duration.ofSeconds(5))
                .build();
    }
}
