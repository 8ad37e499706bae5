package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link ClosingStressTest}, with locks that take each lease from the store: shared ones, and several names. */
@Timeout(60)
final class SharedClosingStressTest {
    private static final int ROUNDS = 100;

    @Test
    void nothingIsLeftHeldWhenAClientClosesInTheMiddleOfEverything() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:shared-closing-stress")) {
            for (int round = 0; round < ROUNDS; round++) {
                closeInTheMiddle();
                assertThat(other.list("busy/", 10))
                        .as("what is held or waited for after the client of round %s has closed", round)
                        .isEmpty();
            }
        }
    }

    private static void closeInTheMiddle() throws InterruptedException {
        Holdfast client = Holdfast.connect("memory:shared-closing-stress");
        List<DistributedLock> locks = List.of(
                client.all("busy/a", "busy/b"),
                client.all("busy/b", "busy/c"),
                client.readWriteLock("busy/d").readLock(),
                client.readWriteLock("busy/d").writeLock(),
                client.semaphore("busy/e", 3).permits(2));
        CountDownLatch underWay = new CountDownLatch(locks.size());
        List<Thread> threads = new ArrayList<>();
        for (DistributedLock lock : locks) {
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
