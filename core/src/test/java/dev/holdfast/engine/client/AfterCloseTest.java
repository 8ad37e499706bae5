package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.engine.DelegatingStore;
import dev.holdfast.engine.Outcomes;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A reply of the store that outlives its client is still told, on a thread on which nothing but user code runs. */
@Timeout(60)
class AfterCloseTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);

    @Test
    void userCodeDoesNotRunOnACleanUpThread() throws InterruptedException {
        CompletableFuture<String> ranOn;
        try (Holdfast locks = Holdfast.builder()
                .store(Hanging::new)
                .commandTimeout(Duration.ofMillis(100))
                .build()) {
            Lease lease = locks.lock("a").acquire();
            ranOn = lease.releaseAsync()
                    .thenApply(released -> Thread.currentThread().getName());
            hangs.await();
        }
        assertThat(ranOn).isNotDone();
        answers.countDown();
        assertThat(ranOn).succeedsWithin(LIMIT).asString().contains("-callback-");
    }

    private final class Hanging extends DelegatingStore {
        Hanging(StoreContext context) {
            super("after-close", context);
        }

        /** However often it is interrupted. */
        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            hangs.countDown();
            while (answers.getCount() > 0) {
                Outcomes.awaitQuietly(answers);
                boolean unused = Thread.interrupted();
            }
            return super.release(grants);
        }
    }
}
