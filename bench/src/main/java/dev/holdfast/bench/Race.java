package dev.holdfast.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets threads take and release a lock for a while.
 *
 * @param threads how many
 * @param time for how long
 */
record Race(int threads, Duration time) {

    /** Runs one contestant; returns how many times a second the lock was taken and released. */
    double run(Contestant contestant) throws InterruptedException {
        LongAdder pairs = new LongAdder();
        long[] inside = new long[1];
        Runnable work = () -> inside[0]++;
        // Reading the clock takes as long as an uncontended lock of the JDK, so that is not done for every pair.
        int pairsPerLook = threads == 1 ? 64 : 1;
        CountDownLatch start = new CountDownLatch(1);
        Thread[] runners = new Thread[threads];
        long[] end = new long[1];
        for (int t = 0; t < threads; t++) {
            runners[t] = new Thread(() -> {
                try {
                    start.await();
                    long own = 0;
                    do {
                        for (int i = 0; i < pairsPerLook; i++) {
                            contestant.locked(work);
                        }
                        own += pairsPerLook;
                    } while (System.nanoTime() < end[0]);
                    pairs.add(own);
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            runners[t].start();
        }
        long begin = System.nanoTime();
        end[0] = begin + time.toNanos();
        start.countDown();
        for (Thread runner : runners) {
            runner.join();
        }
        long took = System.nanoTime() - begin;
        if (inside[0] != pairs.sum()) {
            throw new IllegalStateException(
                    "the lock did not exclude: " + inside[0] + " increments seen of " + pairs.sum());
        }
        return pairs.sum() * 1e9 / took;
    }
}
