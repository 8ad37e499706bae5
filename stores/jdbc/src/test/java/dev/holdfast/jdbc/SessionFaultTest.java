package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** Locks that a session of the database holds, when things go wrong. */
final class SessionFaultTest {
    private static final int SECONDS = 60;
    private static final List<String> STRATEGIES = List.of("row", "advisory");

    @RegisterExtension
    final Rig rig = new Rig();

    private DatabaseServer server;

    @BeforeEach
    void startServer() throws InterruptedException {
        server = Postgres.start(rig);
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
    void everyEpochOfAnAdvisoryLockIsLargerThanAllBeforeAKillOfTheServer() throws InterruptedException {
        long largest = 0;
        for (int round = 0; round < 3; round++) {
            List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
            try (Holdfast one = connect("advisory", 8);
                    Holdfast other = connect("advisory", 8)) {
                List<Thread> threads = new ArrayList<>();
                for (Holdfast locks : List.of(one, other, one, other)) {
                    String name = "epoch/" + threads.size();
                    Thread thread = new Thread(() -> drawUntilTheEnd(locks, name, tokens));
                    threads.add(thread);
                    thread.start();
                }
                int enough = 100;
                Awaitility.await().until(() -> tokens.size() > enough);
                server.kill();
                for (Thread thread : threads) {
                    thread.join();
                }
            }
            server.start();
            assertThat(tokens).doesNotHaveDuplicates();
            assertThat(Collections.min(tokens)).isGreaterThan(largest);
            largest = Collections.max(tokens);
        }
    }

    private static void drawUntilTheEnd(Holdfast locks, String name, List<Long> tokens) {
        while (true) {
            try {
                Optional<Lease> lease = locks.lock(name).tryAcquire();
                if (lease.isPresent()) {
                    tokens.add(lease.get().token());
                    lease.get().release();
                }
            } catch (HoldfastException killed) {
                return;
            }
        }
    }

    @Test
    void epochsGoOnGrowingWhenTheStrategyIsChanged() throws InterruptedException {
        long last = 0;
        for (String strategy : List.of("row", "advisory", "lease")) {
            try (Holdfast locks = connect(strategy, 2);
                    Lease lease = locks.lock("changed").acquire()) {
                assertThat(lease.token()).as(strategy).isGreaterThan(last);
                last = lease.token();
            }
        }
    }

    @Test
    void lossIsToldOfEveryLockWhenTheDatabaseFallsSilent()
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : STRATEGIES) {
            FaultProxy cable = FaultProxy.before(rig, server.port());
            try (Holdfast locks = Holdfast.connect(
                    server.accessThrough(cable.port()).jdbcUrlWithCredentials() + "#strategy=" + strategy)) {
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
        for (Strategy strategy : List.of(Strategy.ROW, Strategy.ADVISORY)) {
            JdbcStore store = JdbcStore.on(dataSource()).withStrategy(strategy);
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
            assertThatThrownBy(() -> JdbcStore.on(dataSource()).onConnection(connection))
                    .isInstanceOf(StoreMisconfiguredException.class);
            assertThatThrownBy(() -> JdbcStore.on(dataSource())
                            .withStrategy(Strategy.ROW)
                            .onConnection(connection))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit");
        }
    }

    private PGSimpleDataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.access().jdbcUrlWithCredentials());
        return source;
    }

    private Holdfast connect(String strategy, int connections) {
        return Holdfast.connect(
                server.access().jdbcUrlWithCredentials() + "#strategy=" + strategy + "&connections=" + connections);
    }
}
