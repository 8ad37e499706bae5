package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that close while their threads are anywhere between asking for a lock and giving it back. */
@Timeout(120)
final class ClosingStressTest {
    private static final int ROUNDS = 300;
    private static final int THREADS = 4;

    /** Fewer than threads, so that there is some waiting too. */
    private static final int NAMES = 3;

    @Test
    void nothingIsLeftHeldWhenAClientClosesInTheMiddleOfEverything() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:closing-stress")) {
            for (int round = 0; round < ROUNDS; round++) {
                closeInTheMiddle(LockOptions.defaults().withStickyFor(Duration.ofMillis(round % 2)));
                assertThat(other.list("busy/", NAMES))
                        .as("what is held or waited for after the client of round %s has closed", round)
                        .isEmpty();
            }
        }
    }

    private static void closeInTheMiddle(LockOptions options) throws InterruptedException {
        CountDownLatch underWay = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        Holdfast client = Holdfast.connect("memory:closing-stress");
        for (int i = 0; i < THREADS; i++) {
            DistributedLock lock = client.lock("busy/" + i % NAMES, options);
            Thread thread = new Thread(() -> acquireUntilClosed(lock, underWay));
            threads.add(thread);
            thread.start();
        }
        underWay.await();
        client.close();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void acquireUntilClosed(DistributedLock lock, CountDownLatch underWay) {
        try {
            while (true) {
                try (Lease lease = lock.acquire()) {
                    lease.ensureHeld();
                }
                underWay.countDown();
            }
        } catch (ClientClosedException | LeaseLostException closed) {
            underWay.countDown();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
