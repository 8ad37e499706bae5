package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Threads of several clients that take a lock again and again while the servers go through something. */
final class Traffic implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Instant ORIGIN = Instant.parse("2025-01-01T00:00:00Z");
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1000;
    private static final int LOCAL_BITS = 12;
    private static final long BETWEEN_NANOS = 100_000;

    /** One time that the lock was had: when it was asked for, when it was got, also by the time of day, and the token. */
    private record Hold(long askedNanos, long gotNanos, long gotMicros, long token) {}

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
                holds.add(new Hold(asked, System.nanoTime(), micros(), lease.token()));
                // Otherwise most holds would be hand-offs within a client, a million in a second.
                LockSupport.parkNanos(BETWEEN_NANOS);
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
        List<Hold> all = end();
        assertThat(all.stream().map(Hold::token)).doesNotHaveDuplicates();
        checkOrder(all);
    }

    /**
     * Ends the traffic, and checks that tokens are unique, and tell the order within each generation. While two servers
     * take themselves for the master, those of the older generation may come after larger ones of the newer.
     *
     * @param promotions how many there were at least, with holds between them and after the last
     */
    void endAndCheckByGeneration(int promotions) throws InterruptedException {
        List<Hold> all = end();
        assertThat(all.stream().map(Hold::token)).doesNotHaveDuplicates();
        Map<Long, List<Hold>> byGeneration =
                all.stream().collect(Collectors.groupingBy(Traffic::generation, TreeMap::new, Collectors.toList()));
        assertThat(byGeneration).as("every promotion begins a generation").hasSizeGreaterThan(promotions);
        byGeneration.values().forEach(Traffic::checkOrder);
        List<Long> begins =
                byGeneration.values().stream().map(Traffic::firstGotNanos).toList();
        assertThat(begins)
                .as("generations grow in the order of the promotions")
                .isSortedAccordingTo((one, other) -> Long.compare(one - other, 0));
    }

    private static long firstGotNanos(List<Hold> holds) {
        long first = holds.get(0).gotNanos;
        for (Hold hold : holds) {
            first = hold.gotNanos - first < 0 ? hold.gotNanos : first;
        }
        return first;
    }

    /** By how many hours a token is ahead of the clock. */
    private static long generation(Hold hold) {
        long ahead = (hold.token >> LOCAL_BITS) - hold.gotMicros;
        return Math.floorDiv(ahead + HOUR_MICROS / 2, HOUR_MICROS);
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(ORIGIN, Instant.now());
    }

    /** What has been so far, for a report. */
    @Override
    public String toString() {
        long tokens = holds.stream().map(Hold::token).distinct().count();
        long generations = holds.stream().map(Traffic::generation).distinct().count();
        return holds.size() + " holds, " + tokens + " tokens, " + generations + " generations, " + failures
                + " unknown or lost";
    }

    private List<Hold> end() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(surprises).isEmpty();
        return List.copyOf(holds);
    }

    private static void checkOrder(List<Hold> all) {
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
