package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** User code that takes its time, in any number, and user code that keeps what it was told. */
@Timeout(60)
class BusyUserCodeTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** More than there are threads for them. */
    private static final int MANY = 100;

    /** P10: a loss is told although code behind many futures blocks, and many listeners of losses too. */
    @Test
    void lossesAreToldWhileOtherUserCodeBlocks() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger blocked = new AtomicInteger();
        try (Holdfast other = Holdfast.connect("memory:busy");
                Holdfast locks = Holdfast.connect("memory:busy")) {
            List<Lease> kept = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                Lease lease = locks.lock("sleepy" + i).acquire();
                lease.onLost(reason -> block(blocked, end));
                kept.add(lease);
            }
            for (int i = 0; i < MANY; i++) {
                // Held until the code behind the future is known, so that it does not run here.
                Lease first = other.lock("slow" + i).acquire();
                locks.lock("slow" + i).acquireAsync().thenAccept(lease -> block(blocked, end));
                first.close();
            }
            for (int i = 0; i < MANY; i++) {
                other.evict("sleepy" + i, "test");
            }
            await().atMost(LIMIT).until(() -> blocked.get() > MANY);
            Lease lease = locks.lock("mine").acquire();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            lease.onLost(told::complete);
            other.evict("mine", "test");
            assertThat(told).succeedsWithin(LIMIT).isEqualTo(LossReason.EVICTED);
            assertThat(kept).noneMatch(Lease::isHeld);
        } finally {
            end.countDown();
        }
    }

    private static void block(AtomicInteger blocked, CountDownLatch end) {
        blocked.incrementAndGet();
        try {
            end.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Each caller gets an exception of its own: what one adds to it, no other sees. */
    @Test
    void nobodySharesAnException() {
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new DelegatingStore("shared-word", context) {
                    @Override
                    public AcquireOutcome tryAcquire(Claim claim) {
                        throw new StoreUnavailableException("acquire", claim.describe(), null);
                    }

                    @Override
                    public List<AcquireOutcome> poll(List<Claim> claims) {
                        throw new StoreUnavailableException("acquire", "waiting claims", null);
                    }
                })
                .build()) {
            Duration wait = Duration.ofMillis(100);
            List<CompletableFuture<?>> waits = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waits.add(locks.lock("x").tryAcquireAsync(wait));
            }
            assertThat(waits.stream().map(BusyUserCodeTest::failureOf).distinct())
                    .hasSize(10)
                    .allMatch(StoreUnavailableException.class::isInstance);
        }
    }

    private static Throwable failureOf(CompletableFuture<?> wait) {
        try {
            throw new AssertionError("got " + wait.join());
        } catch (CompletionException failed) {
            return failed.getCause();
        }
    }
}
