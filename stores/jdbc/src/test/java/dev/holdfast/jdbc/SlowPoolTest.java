package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A connection that is long in coming is not the database's time. */
final class SlowPoolTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** The first grant to a waiter is short; counted from before the wait for a connection, nothing may be left of it. */
    @Test
    void grantThatIsSeenCountsFromItsStatementAndNotFromTheWaitForAConnection()
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Long> anchor = new CompletableFuture<>();
        try (HikariDataSource pool = new HikariDataSource();
                TestContext surroundings = new TestContext()) {
            pool.setJdbcUrl("jdbc:h2:mem:slow-pool;DB_CLOSE_DELAY=-1");
            GatedDataSource slow = new GatedDataSource(pool);
            StoreContext context = surroundings.context(new TestContext.Deaf() {
                @Override
                public void granted(List<Grant> grants, long anchorNanos) {
                    anchor.complete(anchorNanos);
                }
            });
            try (LockStore holder = JdbcStore.on(pool).open(surroundings.context());
                    LockStore waiter = JdbcStore.on(slow.dataSource()).open(context)) {
                Claim held = TestContext.claim(LEASE, "slow");
                Claim waiting = TestContext.claim(LEASE, "slow").queued(true);
                AcquireOutcome taken = holder.tryAcquire(held);
                assertThat(taken).isInstanceOf(AcquireOutcome.Granted.class);
                assertThat(waiter.tryAcquire(waiting)).isInstanceOf(AcquireOutcome.Contended.class);
                slow.shut();
                Awaitility.await().until(() -> slow.waiting() > 0);
                holder.release(((AcquireOutcome.Granted) taken).grants());
                long opened = context.clock().nanos();
                slow.open();

                assertThat(anchor.get(30, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(opened);
                waiter.withdraw(waiting, false);
            }
        }
    }
}
