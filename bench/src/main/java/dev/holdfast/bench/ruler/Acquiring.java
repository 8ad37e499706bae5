package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One thread takes and gives back locks in turn, usually with work in between; only the taking is timed. Where a
 * release goes on after it has returned, the next acquire would otherwise be timed while servers still work for the last.
 */
final class Acquiring implements Heat, Runnable {
    private static final long WORK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final List<Mutex> mutexes = new ArrayList<>();
    private final Thread thread = new Thread(this, "acquiring");
    private final CountDownLatch underWay = new CountDownLatch(1);
    private final List<Long> samples = new ArrayList<>();
    private final boolean works;
    private long entries;
    private volatile boolean counting;
    private volatile boolean over;
    private volatile long countingSince;
    private volatile @Nullable Throwable failure;

    Acquiring(Locks locks, int names, String name, boolean works) {
        this.works = works;
        for (int i = 0; i < names; i++) {
            mutexes.add(locks.mutex(name + "-" + i));
        }
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public boolean awaitUnderWay(Duration patience) throws InterruptedException {
        return underWay.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void count() {
        countingSince = System.nanoTime();
        counting = true;
    }

    @Override
    public Lap stop() throws InterruptedException {
        counting = false;
        long nanos = System.nanoTime() - countingSince;
        over = true;
        thread.join();
        Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException("acquiring failed", failed);
        }
        List<Long> sorted = samples.stream().sorted().toList();
        long median = sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
        long longest = sorted.isEmpty() ? 0 : sorted.get(sorted.size() - 1);
        return new Lap(nanos, List.of((long) sorted.size()), entries, 0, longest, 0, median);
    }

    @Override
    public void run() {
        try {
            while (!over) {
                Mutex mutex = mutexes.get((int) (entries % mutexes.size()));
                long begin = System.nanoTime();
                mutex.lock();
                long end = System.nanoTime();
                mutex.unlock();
                if (works) {
                    work();
                }
                entries++;
                if (counting) {
                    samples.add(end - begin);
                }
                underWay.countDown();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failed) {
            failure = failed;
            underWay.countDown();
        }
    }

    /** Stays awake, as whoever computes does. */
    private static void work() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < WORK_NANOS) {
            Thread.onSpinWait();
        }
    }
}
