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
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that close while their threads are anywhere between asking for a lock and giving it back. */
@Timeout(120)
final class ClosingStressTest {
    @Test
    void nothingIsLeftOfLocksThatPassFromThreadToThread() throws InterruptedException {
        for (int round = 0; round < 300; round++) {
            LockOptions options = LockOptions.defaults().withStickyFor(Duration.ofMillis(round % 2));
            // Fewer names than threads, so that there is some waiting too.
            closeInTheMiddle(client -> Stream.of("busy/a", "busy/b", "busy/c", "busy/a")
                    .map(name -> client.lock(name, options))
                    .toList());
        }
    }

    @Test
    void nothingIsLeftOfLocksThatTakeEachLeaseFromTheStore() throws InterruptedException {
        for (int round = 0; round < 100; round++) {
            closeInTheMiddle(client -> List.of(
                    client.all("busy/a", "busy/b"),
                    client.all("busy/b", "busy/c"),
                    client.readWriteLock("busy/d").readLock(),
                    client.readWriteLock("busy/d").writeLock(),
                    client.semaphore("busy/e", 3).permits(2)));
        }
    }

    private static void closeInTheMiddle(Function<Holdfast, List<DistributedLock>> someLocks)
            throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:closing-stress")) {
            Holdfast client = Holdfast.connect("memory:closing-stress");
            List<DistributedLock> locks = someLocks.apply(client);
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
            assertThat(other.list("busy/", 10)).isEmpty();
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
