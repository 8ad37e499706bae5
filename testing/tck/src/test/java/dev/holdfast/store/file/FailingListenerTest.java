package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LossReason;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The heap is full for a moment, on the thread that works on the files: the store goes on, and no session ends without
 * being told. A lease of the file store has no deadline, so nothing else would ever tell its holder.
 */
@Timeout(60)
final class FailingListenerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Logger LOG = Logger.getLogger("dev.holdfast");

    @TempDir
    Path directory;

    private final Told heard = new Told();

    @BeforeEach
    void quietLog() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void usualLog() {
        LOG.setLevel(null);
    }

    @Test
    void aSessionThatCannotBeToldToHaveEndedIsToldLater() throws InterruptedException {
        try (LockStore holders = open("holder", new Told());
                LockStore store = open("waiter", heard)) {
            List<Grant> held = granted(holders.tryAcquire(claim("x", 1)));
            String session = granted(store.tryAcquire(claim("y", 2))).get(0).session();
            assertThat(store.tryAcquire(claim("x", 3))).isInstanceOf(AcquireOutcome.Contended.class);

            heard.failures.set(2);
            holders.release(held);

            assertThat(heard.lost.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(session);
            assertThat(granted(store.tryAcquire(claim("z", 4)))).hasSize(1);
        }
    }

    private LockStore open(String name, StoreListener listener) {
        StoreContext context = new StoreContext(
                name, System::nanoTime, (delay, task) -> () -> {}, Runnable::run, TIMEOUT, new Random(1), listener);
        return new FileStoreProvider().open(StoreUri.parse("file:" + directory, Map.of(), null), context);
    }

    private static List<Grant> granted(AcquireOutcome outcome) {
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants();
    }

    private static Claim claim(String name, long owner) {
        return new Claim(
                List.of(new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1)),
                new OwnerId(0, owner),
                Duration.ofSeconds(30),
                new Claim.HolderInfo("test", ""),
                true);
    }

    /** Fails a few times, whatever it is told. */
    private static final class Told implements StoreListener {
        private final AtomicInteger failures = new AtomicInteger();
        private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();

        private void failIfItShould() {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new InternalError("simulated");
            }
        }

        @Override
        public void retry(String name, OwnerId owner) {}

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {
            failIfItShould();
        }

        @Override
        public void wanted(String name, long epoch) {}

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {}

        @Override
        public void sessionLost(String session) {
            failIfItShould();
            lost.add(session);
        }
    }
}
