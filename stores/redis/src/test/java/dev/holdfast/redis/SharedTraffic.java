package dev.holdfast.redis;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads of several clients that share names: readers with writers, permits of semaphores, exclusive holders; some only for
 * a moment, some over several renewals. A referee in this process counts who is inside. Thread-safe.
 */
final class SharedTraffic implements AutoCloseable {
    private static final int PERMITS = 3;
    private static final Duration WAIT = Duration.ofSeconds(5);

    /** Renewed every second, and long enough for a machine that stands still for a while. */
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(6));

    private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int LONG_ONE_IN = 400;

    private final List<Holdfast> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Queue<String> overlaps = new ConcurrentLinkedQueue<>();
    private final Queue<String> losses = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    private final AtomicLong grants = new AtomicLong();
    private final AtomicLong renewed = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong timeouts = new AtomicLong();
    private volatile boolean over;

    /** Who may be inside of one name together: so many units, of which everybody takes some. */
    private static final class Room {
        private final String name;
        private final int capacity;
        private final AtomicInteger used = new AtomicInteger();

        /** Who is inside, for a report: token and units by thread. */
        private final Map<String, String> inside = new ConcurrentHashMap<>();

        Room(String name, int capacity) {
            this.name = name;
            this.capacity = capacity;
        }
    }

    /**
     * Begins.
     *
     * @param count of names of each kind
     */
    SharedTraffic(String url, int clientCount, int count) {
        for (int i = 0; i < clientCount; i++) {
            clients.add(Holdfast.connect(url));
        }
        for (int i = 0; i < count; i++) {
            Room document = room("document/" + i, Integer.MAX_VALUE);
            Room printer = room("printer/" + i, PERMITS);
            Room single = room("single/" + i, 1);
            for (Holdfast client : clients) {
                DistributedLock reader =
                        client.readWriteLock(document.name, OPTIONS).readLock();
                drive(document, 1, reader);
                drive(document, 1, reader);
                drive(
                        document,
                        document.capacity,
                        client.readWriteLock(document.name, OPTIONS).writeLock());
                drive(
                        printer,
                        1,
                        client.semaphore(printer.name, PERMITS, OPTIONS).permits(1));
                drive(
                        printer,
                        2,
                        client.semaphore(printer.name, PERMITS, OPTIONS).permits(2));
                drive(single, 1, client.lock(single.name, OPTIONS));
            }
        }
        threads.forEach(Thread::start);
    }

    private Room room(String name, int capacity) {
        names.add(name);
        return new Room(name, capacity);
    }

    /** {@return what is used} */
    List<String> names() {
        return names;
    }

    /** {@return how often something was got so far} */
    long grants() {
        return grants.get();
    }

    Queue<String> overlaps() {
        return overlaps;
    }

    Queue<String> losses() {
        return losses;
    }

    Queue<Throwable> surprises() {
        return surprises;
    }

    @Override
    public String toString() {
        return grants + " grants, " + renewed + " of them held over several renewals, " + unknown + " unknown, "
                + timeouts + " waits in vain, " + overlaps.size() + " overlaps, " + losses.size() + " losses";
    }

    private void drive(Room room, int units, DistributedLock lock) {
        Thread thread = new Thread(
                () -> {
                    while (!over) {
                        useOnce(room, units, lock);
                    }
                },
                "shared-traffic-" + threads.size());
        threads.add(thread);
    }

    private void useOnce(Room room, int units, DistributedLock lock) {
        try {
            Optional<Lease> got = lock.tryAcquire(WAIT);
            if (got.isEmpty()) {
                timeouts.incrementAndGet();
                return;
            }
            try (Lease lease = got.get()) {
                grants.incrementAndGet();
                lease.onLost(reason -> losses.add(
                        room.name + ": " + Long.toHexString(lease.token()) + " " + reason + " at " + millis()));
                enter(room, units, lease);
                try {
                    stayInside(room, lease);
                } finally {
                    room.inside.remove(Thread.currentThread().getName());
                    room.used.addAndGet(-units);
                }
            }
        } catch (LeaseLostException lost) {
            losses.add(room.name + ": " + lost.getMessage());
        } catch (StoreUnavailableException unanswered) {
            unknown.incrementAndGet();
        } catch (InterruptedException | RuntimeException surprise) {
            surprises.add(surprise);
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MOMENT_NANOS));
    }

    private static long millis() {
        return System.nanoTime() / 1_000_000;
    }

    private void enter(Room room, int units, Lease lease) {
        room.inside.put(
                Thread.currentThread().getName(),
                Long.toHexString(lease.token()) + "*" + units + " since " + millis() + " left "
                        + lease.remaining().toMillis());
        // A writer's units are all there are: whoever is inside beside it makes more of them than fit.
        long inside = (long) room.used.getAndAdd(units) + units;
        if (inside > room.capacity || inside < 0) {
            overlaps.add(room.name + ": " + inside + " of " + room.capacity + " at " + millis() + ", " + room.inside);
        }
    }

    private void stayInside(Room room, Lease lease) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        boolean longer = random.nextInt(LONG_ONE_IN) == 0;
        long until = System.nanoTime() + (longer ? LONG_NANOS : random.nextLong(MOMENT_NANOS));
        while (System.nanoTime() - until < 0 && !over) {
            LockSupport.parkNanos(MOMENT_NANOS / 2);
            if (!lease.isHeld()) {
                losses.add(room.name + ": " + Long.toHexString(lease.token()) + " not held any more at " + millis());
                return;
            }
        }
        if (longer) {
            renewed.incrementAndGet();
        }
    }

    /** Waits until nobody is inside any more. */
    void end() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Override
    public void close() {
        over = true;
        clients.forEach(Holdfast::close);
    }
}
