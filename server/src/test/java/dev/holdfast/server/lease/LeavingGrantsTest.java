package dev.holdfast.server.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LockKind;
import dev.holdfast.server.history.History;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A grant that is on its way back is nobody's, although the store still says that it is its owner's. */
class LeavingGrantsTest {
    private static final int THREADS_OF_A_LANE = 32;

    @TempDir
    private Path directory;

    @Test
    void isNotHandedOutAgainWhileItIsBeingGivenBack() {
        CountDownLatch held = new CountDownLatch(1);
        try (StoreLink link = StoreLink.open(
                        "file:" + directory.resolve("locks"),
                        null,
                        "test",
                        Duration.ofSeconds(5),
                        new StoreLink.Messages());
                StoreThreads threads = new StoreThreads()) {
            Leftovers leftovers = new Leftovers(link, threads);
            Kept kept = new Kept(threads, leftovers, new History(link::now));
            Claim claim = new Claim(
                    List.of(new Claim.Part("a", LockKind.EXCLUSIVE, 1, 1)),
                    new OwnerId(1, 2),
                    Duration.ofSeconds(30),
                    new Claim.HolderInfo("test", ""),
                    false);
            List<Grant> grants = grants(link, claim);
            // As a store that is slow to answer: what gives back has no thread for a while.
            for (int i = 0; i < THREADS_OF_A_LANE; i++) {
                threads.keep(() -> await().until(() -> held.getCount() == 0));
            }
            assertThat(kept.keep(grants, "scope", TimeUnit.MILLISECONDS.toNanos(1)))
                    .isTrue();
            await().until(() -> kept.count() == 0);

            List<Grant> again = grants(link, claim);
            assertThat(again.get(0).epoch()).isEqualTo(grants.get(0).epoch());
            assertThat(kept.keep(again, "scope", TimeUnit.SECONDS.toNanos(30))).isFalse();
            assertThat(kept.count()).isZero();

            held.countDown();
            await().until(() -> !leftovers.isLeaving(grants));
            List<Grant> next = grants(link, claim);
            assertThat(next.get(0).epoch()).isGreaterThan(grants.get(0).epoch());
            assertThat(kept.keep(next, "scope", TimeUnit.SECONDS.toNanos(30))).isTrue();
            assertThat(kept.extend(claim.owner(), TimeUnit.SECONDS.toNanos(30))).isTrue();
        } finally {
            held.countDown();
        }
    }

    private static List<Grant> grants(StoreLink link, Claim claim) {
        AcquireOutcome outcome = link.store().tryAcquire(claim);
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants();
    }
}
