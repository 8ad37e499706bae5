package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** In a black hole no call outlasts one command timeout, and losses are told, however many connections are in it (P17). */
final class BudgetTest {
    private static final Duration COMMAND = Duration.ofSeconds(2);

    /** A client has 64 threads for looks. */
    private static final int LOCKS = 140;

    /** Less than a second command timeout, for a busy machine. */
    private static final Duration SLACK = Duration.ofMillis(1_500);

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static DatabaseServer server;

    private FaultProxy cable;

    @BeforeAll
    static void startServer() throws InterruptedException {
        server = Postgres.start(RIG);
    }

    @BeforeEach
    void connectCable() {
        cable = FaultProxy.before(RIG, server.port());
    }

    @Test
    void callTakesOneCommandTimeoutAlthoughAllIdleConnectionsAreDead()
            throws InterruptedException, ExecutionException, TimeoutException {
        try (Holdfast locks = builder().url(url("lease")).build()) {
            warm(locks);
            assertThatCallsKeepToTheBudget(locks);
        }
    }

    @Test
    void callTakesOneCommandTimeoutAlthoughAllConnectionsOfAPoolAreDead()
            throws InterruptedException, ExecutionException, TimeoutException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.accessThrough(cable.port()).jdbcUrlWithCredentials());
            pool.setMaximumPoolSize(10);
            try (Holdfast locks = builder().store(JdbcStore.on(pool)).build()) {
                warm(locks);
                assertThatCallsKeepToTheBudget(locks);
            }
        }
    }

    private void assertThatCallsKeepToTheBudget(Holdfast locks) throws InterruptedException {
        cable.blackHole(Direction.TO_CLIENT, Direction.TO_SERVER);
        for (int i = 0; i < 2; i++) {
            String name = "dark/" + i;
            long begin = System.nanoTime();
            assertThatThrownBy(() -> locks.lock(name).tryAcquire()).isInstanceOf(StoreUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(COMMAND.plus(SLACK));
        }
        cable.heal();
    }

    /** Eight at the same time, so that there are eight connections, which are asked before they are used again. */
    private static void warm(Holdfast locks) throws InterruptedException, ExecutionException, TimeoutException {
        for (int round = 0; round < 5; round++) {
            List<CompletableFuture<Lease>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(locks.lock("warm/" + i).acquireAsync());
            }
            for (CompletableFuture<Lease> one : all) {
                one.get(30, TimeUnit.SECONDS).close();
            }
        }
        // After a second a connection is not trusted any more.
        Awaitility.await().pollDelay(Duration.ofMillis(1_200)).until(() -> true);
    }

    @Test
    void lossIsToldOfMoreLocksThanThereAreThreadsToLookAtThem()
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String strategy : List.of("row", "advisory")) {
            try (Holdfast locks =
                    builder().url(url(strategy) + "&connections=" + LOCKS).build()) {
                List<CompletableFuture<Long>> told = new ArrayList<>();
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < LOCKS; i++) {
                    CompletableFuture<Long> loss = new CompletableFuture<>();
                    Lease lease = locks.lock(strategy + i).acquire();
                    lease.onLost(reason -> loss.complete(System.nanoTime()));
                    leases.add(lease);
                    told.add(loss);
                }
                long begin = System.nanoTime();
                cable.blackHole(Direction.TO_CLIENT, Direction.TO_SERVER);
                long last = begin;
                for (CompletableFuture<Long> loss : told) {
                    last = Math.max(last, loss.get(60, TimeUnit.SECONDS));
                }
                assertThat(Duration.ofNanos(last - begin))
                        .as(strategy)
                        .isLessThan(COMMAND.plus(Duration.ofSeconds(1)).plus(SLACK));
                assertThat(leases).noneMatch(Lease::isHeld);
                cable.heal();
            }
        }
    }

    private static HoldfastBuilder builder() {
        return Holdfast.builder().commandTimeout(COMMAND);
    }

    private String url(String strategy) {
        return server.accessThrough(cable.port()).jdbcUrlWithCredentials() + "#strategy=" + strategy;
    }
}
