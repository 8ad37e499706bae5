package dev.holdfast.bench;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;

/** Ten thousand waiters on one name: all are served, in order, and cost no threads. */
final class Waiters {
    private static final int COUNT = 10_000;

    private Waiters() {}

    static boolean async(PrintStream out) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect("memory:")) {
            DistributedLock lock = locks.lock("crowd");
            ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
            List<CompletableFuture<Boolean>> all = new ArrayList<>();
            int threadsBefore = Thread.activeCount();
            long begin;
            int threadsWaiting;
            try (Lease first = lock.acquire()) {
                for (int i = 0; i < COUNT; i++) {
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
            return report("async", List.copyOf(served), begin, threadsWaiting, out);
        }
    }

    static boolean virtual(PrintStream out) throws InterruptedException {
        ThreadFactory factory = virtualThreads();
        if (factory == null) {
            out.printf("%-28s skipped: this Java has no virtual threads; run with 21 or later%n", "waiters-virtual");
            return true;
        }
        try (Holdfast locks = Holdfast.connect("memory:")) {
            DistributedLock lock = locks.lock("crowd");
            ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            long begin;
            int threadsBefore = Thread.activeCount();
            int threadsWaiting;
            try (Lease first = lock.acquire()) {
                for (int i = 0; i < COUNT; i++) {
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
                    while (waiter.getState() != Thread.State.WAITING
                            && waiter.getState() != Thread.State.TIMED_WAITING) {
                        Thread.onSpinWait();
                    }
                }
                threadsWaiting = Thread.activeCount() - threadsBefore;
                begin = System.nanoTime();
            }
            for (Thread waiter : threads) {
                waiter.join();
            }
            return report("virtual", List.copyOf(served), begin, threadsWaiting, out);
        }
    }

    /** By reflection, because this project is compiled for Java 17. */
    private static @org.jspecify.annotations.Nullable ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException older) {
            return null;
        }
    }

    private static boolean report(String kind, List<Integer> served, long begin, int threadsWaiting, PrintStream out) {
        boolean inOrder = served.equals(IntStream.range(0, COUNT).boxed().toList());
        out.printf(
                Locale.ROOT,
                "%-28s %,d of %,d served, %s, %,.0f a second, %d more platform threads while waiting%n",
                "waiters-" + kind,
                served.size(),
                COUNT,
                inOrder ? "in order" : "NOT IN ORDER",
                COUNT * 1e9 / (System.nanoTime() - begin),
                threadsWaiting);
        return inOrder;
    }
}
