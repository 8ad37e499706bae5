package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Clients of the strategy row with as many attempts as connections, and one more. P16. */
final class WaitForAPlaceTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static RawPool pool(String name) {
        return new RawPool(
                "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "", true, Connection.TRANSACTION_READ_COMMITTED);
    }

    @Test
    void attemptWaitsForAConnectionThatBelongsToAnotherAttempt()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        try (RawPool pool = pool("place");
                TestContext context = new TestContext()) {
            GatedDataSource gated = new GatedDataSource(pool);
            try (LockStore other = open(pool, context);
                    LockStore store = open(gated, context)) {
                Grant busy = take(other, "busy");
                store.ping();
                gated.shut();
                CompletableFuture<AcquireOutcome> first =
                        CompletableFuture.supplyAsync(() -> store.tryAcquire(TestContext.claim(LEASE, "busy")));
                Awaitility.await().until(() -> gated.waiting() == 1);
                CompletableFuture<AcquireOutcome> second = new CompletableFuture<>();
                Thread thread = new Thread(() -> {
                    try {
                        second.complete(store.tryAcquire(TestContext.claim(LEASE, "free")));
                    } catch (RuntimeException refused) {
                        second.completeExceptionally(refused);
                    }
                });
                thread.start();
                Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING || second.isDone());
                gated.open();

                assertThat(first.get(30, TimeUnit.SECONDS)).isInstanceOf(AcquireOutcome.Contended.class);
                assertThat(second.get(30, TimeUnit.SECONDS)).isInstanceOf(AcquireOutcome.Granted.class);
                other.release(List.of(busy));
            }
        }
    }

    @Test
    void attemptIsRefusedAtOnceIfAllConnectionsHoldLocks() throws SQLException {
        try (RawPool pool = pool("held");
                TestContext context = new TestContext();
                LockStore store = open(new GatedDataSource(pool), context)) {
            Grant held = take(store, "held");
            long begin = System.nanoTime();
            assertThatThrownBy(() -> store.tryAcquire(TestContext.claim(LEASE, "another")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("all 1 connections that may hold locks are in use");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
            store.release(List.of(held));
            store.release(List.of(take(store, "another")));
        }
    }

    private static LockStore open(GatedDataSource source, TestContext context) {
        return JdbcStore.on(source.dataSource())
                .withStrategy(Strategy.ROW)
                .withConnections(1)
                .open(context.context());
    }

    private static LockStore open(RawPool pool, TestContext context) {
        return JdbcStore.on(pool).withStrategy(Strategy.ROW).open(context.context());
    }

    private static Grant take(LockStore store, String name) {
        AcquireOutcome outcome = store.tryAcquire(TestContext.claim(LEASE, name));
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }
}
