package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims of different sizes go through one gate; whoever is granted something gets what it asked for. */
@Timeout(60)
class PermitsOfSeveralSizesTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONGER = Duration.ofMillis(600);
    private static final int CAPACITY = 3;

    /** P15: the claim of a waiter that has left is not granted to the next one, who asked for more. */
    @Test
    void grantOfADirectAttemptLeavesNoClaimOfAnotherSizeForTheHeadOfTheLine() throws InterruptedException {
        CountDownLatch direct = new CountDownLatch(1);
        CountDownLatch queued = new CountDownLatch(1);
        CountDownLatch directIsAsked = new CountDownLatch(1);
        CountDownLatch queuedIsAsked = new CountDownLatch(1);
        try (Holdfast other = Holdfast.connect("memory:sizes");
                Holdfast locks = Holdfast.builder()
                        .commandTimeout(LIMIT)
                        .store(context -> new HeldUp(context, direct, directIsAsked, queued, queuedIsAsked))
                        .build()) {
            Lease all = other.semaphore("s", CAPACITY).permits(CAPACITY).acquire();
            DistributedSemaphore semaphore = locks.semaphore("s", CAPACITY);
            CompletableFuture<Lease> first = semaphore.permits(1).acquireAsync();
            assertThat(directIsAsked.await(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Optional<Lease>> leaves = semaphore.permits(1).tryAcquireAsync(SHORT);
            assertThat(queuedIsAsked.await(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Optional<Lease>> isLate = semaphore.permits(1).tryAcquireAsync(LONGER);
            CompletableFuture<Lease> larger = semaphore.permits(2).acquireAsync();
            assertThat(leaves).succeedsWithin(LIMIT).isEqualTo(Optional.empty());
            DelegatingStore.takeMillis(LONGER.toMillis());
            assertThat(isLate).as("its time is up, and it stays for an answer").isNotDone();

            all.close();
            direct.countDown();
            assertThat(first).succeedsWithin(LIMIT);
            assertThat(isLate).succeedsWithin(LIMIT).isEqualTo(Optional.empty());
            queued.countDown();
            assertThat(larger).succeedsWithin(LIMIT);
            assertThat(other.semaphore("s", CAPACITY).permits(1).tryAcquire())
                    .as("one and two permits of three are out")
                    .isEmpty();
            larger.join().close();
            first.join().close();
            await("nothing is left at the store")
                    .atMost(LIMIT)
                    .until(() -> other.inspect("s")
                            .filter(seen ->
                                    !seen.holders().isEmpty() || !seen.waiters().isEmpty())
                            .isEmpty());
        }
    }

    /** Holds up the first request of a direct attempt, and the first of a claim that queues. */
    private static final class HeldUp extends DelegatingStore {
        private final CountDownLatch direct;
        private final CountDownLatch directIsAsked;
        private final CountDownLatch queued;
        private final CountDownLatch queuedIsAsked;
        private final AtomicBoolean firstDirect = new AtomicBoolean(true);
        private final AtomicBoolean firstQueued = new AtomicBoolean(true);

        HeldUp(
                StoreContext context,
                CountDownLatch direct,
                CountDownLatch directIsAsked,
                CountDownLatch queued,
                CountDownLatch queuedIsAsked) {
            super("sizes", context);
            this.direct = direct;
            this.directIsAsked = directIsAsked;
            this.queued = queued;
            this.queuedIsAsked = queuedIsAsked;
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            if (!claim.queue() && firstDirect.getAndSet(false)) {
                directIsAsked.countDown();
                await(direct);
            }
            if (claim.queue() && firstQueued.getAndSet(false)) {
                queuedIsAsked.countDown();
                await(queued);
            }
            return super.tryAcquire(claim);
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
