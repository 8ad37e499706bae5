package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Threads of several clients that take a lock again and again while the servers go through something. */
final class Traffic implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** One time that the lock was had: when it was asked for, when it was got, and the token. */
    private record Hold(long askedNanos, long gotNanos, long token) {}

    private final List<Holdfast> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Hold> holds = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean over;

    Traffic(String url, String name, int clientCount) {
        for (int i = 0; i < clientCount; i++) {
            Holdfast client = Holdfast.connect(url);
            clients.add(client);
            DistributedLock lock = client.lock(name, LockOptions.defaults().withLeaseTime(LEASE));
            Thread thread = new Thread(() -> drive(lock), "traffic-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    /** {@return how often the lock was had so far} */
    int count() {
        return holds.size();
    }

    private void drive(DistributedLock lock) {
        while (!over) {
            long asked = System.nanoTime();
            try (Lease lease = lock.acquire()) {
                holds.add(new Hold(asked, System.nanoTime(), lease.token()));
            } catch (StoreUnavailableException | LeaseLostException expected) {
                failures.incrementAndGet();
            } catch (InterruptedException | RuntimeException surprise) {
                surprises.add(surprise);
                return;
            }
        }
    }

    /** Ends the traffic, and checks that tokens are unique and tell the order (P3, P4). */
    void endAndCheck() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(surprises).isEmpty();
        List<Hold> all = List.copyOf(holds);
        assertThat(all.stream().map(Hold::token)).doesNotHaveDuplicates();
        long largestBefore = 0;
        List<Hold> byAsked = all.stream()
                .sorted((one, other) -> Long.compare(one.askedNanos - other.askedNanos, 0))
                .toList();
        List<Hold> byGot = all.stream()
                .sorted((one, other) -> Long.compare(one.gotNanos - other.gotNanos, 0))
                .toList();
        int got = 0;
        for (Hold hold : byAsked) {
            while (got < byGot.size() && byGot.get(got).gotNanos - hold.askedNanos < 0) {
                largestBefore = Math.max(largestBefore, byGot.get(got).token);
                got++;
            }
            assertThat(hold.token)
                    .as("larger than every token that was got before it was asked for")
                    .isGreaterThan(largestBefore);
        }
    }

    @Override
    public void close() {
        over = true;
        clients.forEach(Holdfast::close);
    }
}
