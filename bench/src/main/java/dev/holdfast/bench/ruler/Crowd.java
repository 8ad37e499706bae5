package dev.holdfast.bench.ruler;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;

/** Thousands wait for one name of one client: all are served, in order, and cost no threads. */
final class Crowd {
    private final DistributedLock lock;
    private final int size;
    private final ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();

    private Crowd(DistributedLock lock, int size) {
        this.lock = lock;
        this.size = size;
    }

    /** Waiters that have no threads. */
    static Outing asynchronous(String url, int size) throws InterruptedException {
        try (Holdfast client = Holdfast.connect(url)) {
            return new Crowd(client.lock("crowd"), size).asynchronous();
        }
    }

    /** Waiters that have virtual threads. */
    static Outing virtual(String url, int size) throws InterruptedException {
        try (Holdfast client = Holdfast.connect(url)) {
            return new Crowd(client.lock("crowd"), size).virtual();
        }
    }

    private Outing asynchronous() throws InterruptedException {
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        int threadsBefore = Thread.activeCount();
        int threadsWaiting;
        long begin;
        try (Lease first = lock.acquire()) {
            for (int i = 0; i < size; i++) {
                int number = i;
                all.add(lock.acquireAsync().thenCompose(lease -> {
                    served.add(number);
                    return lease.releaseAsync();
                }));
            }
            threadsWaiting = Thread.activeCount() - threadsBefore;
            begin = System.nanoTime();
        }
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).join();
        return outing(begin, threadsWaiting);
    }

    private Outing virtual() throws InterruptedException {
        ThreadFactory factory = virtualThreads();
        List<Thread> threads = new ArrayList<>();
        int threadsBefore = Thread.activeCount();
        int threadsWaiting;
        long begin;
        try (Lease first = lock.acquire()) {
            for (int i = 0; i < size; i++) {
                int number = i;
                Thread waiter = factory.newThread(() -> {
                    try (Lease lease = lock.acquire()) {
                        served.add(number);
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                });
                threads.add(waiter);
                waiter.start();
                while (waiter.getState() != Thread.State.WAITING && waiter.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
            }
            threadsWaiting = Thread.activeCount() - threadsBefore;
            begin = System.nanoTime();
        }
        for (Thread waiter : threads) {
            waiter.join();
        }
        return outing(begin, threadsWaiting);
    }

    private Outing outing(long begin, int threadsWaiting) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        boolean inOrder =
                List.copyOf(served).equals(IntStream.range(0, size).boxed().toList());
        return new Outing(Map.of(
                Figure.PER_SECOND,
                served.size() / seconds,
                Figure.IN_ORDER,
                inOrder ? 1.0 : 0.0,
                Figure.MORE_THREADS,
                (double) threadsWaiting));
    }

    /** By reflection, because this project is compiled for Java 17. */
    private static ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException older) {
            throw new IllegalStateException("this Java has no virtual threads; run with 21 or later", older);
        }
    }
}
