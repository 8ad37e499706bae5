package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Threads take and give back locks as fast as they can. On a shared lock every entry is noted on the blackboard and every
 * wait is timed; on locks of their own neither is done, because there is nothing to see and it would cost as much as the
 * fastest locks do.
 */
final class Race implements Heat {
    /** Looking at clock and flags after every pair would be a part of what is measured of the fastest locks. */
    private static final int MOST_PAIRS_PER_LOOK = 64;

    private static final long SHORT_LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final IntFunction<Mutex> mutexes;
    private final @Nullable Blackboard board;
    private final int process;
    private final List<Runner> runners = new ArrayList<>();
    private final CountDownLatch underWay;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean counting;
    private volatile boolean over;
    private volatile long countingSince;

    /**
     * Makes one.
     *
     * @param mutexes makes the lock of a thread, on that thread
     * @param board null if every thread has locks of its own
     * @param process counted from 1
     */
    Race(int threads, IntFunction<Mutex> mutexes, @Nullable Blackboard board, int process) {
        this.mutexes = mutexes;
        this.board = board;
        this.process = process;
        this.underWay = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            runners.add(new Runner(i));
        }
    }

    @Override
    public void start() {
        runners.forEach(runner -> runner.thread.start());
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
        long end = System.nanoTime();
        over = true;
        long unfinished = runners.stream()
                .mapToLong(runner -> runner.waitingSince.get())
                .filter(since -> since != 0)
                .map(since -> end - Math.max(since, countingSince))
                .max()
                .orElse(0);
        for (Runner runner : runners) {
            runner.thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a thread of the race failed", failed);
        }
        return new Lap(
                end - countingSince,
                runners.stream().map(runner -> runner.served).toList(),
                runners.stream().mapToLong(runner -> runner.entries).sum(),
                runners.stream().mapToLong(runner -> runner.switches).sum(),
                Math.max(
                        unfinished,
                        runners.stream()
                                .mapToLong(runner -> runner.longestWait)
                                .max()
                                .orElse(0)),
                runners.stream().mapToLong(runner -> runner.longestSwitch).max().orElse(0),
                0);
    }

    /** What one thread does. Its counts are read after it has ended. */
    private final class Runner implements Runnable {
        private final int number;
        private final Thread thread;
        private final AtomicLong waitingSince = new AtomicLong();
        private long served;
        private long entries;
        private long switches;
        private long longestWait;
        private long longestSwitch;

        Runner(int number) {
            this.number = number;
            this.thread = new Thread(this, "race-" + number);
        }

        @Override
        public void run() {
            try {
                Mutex mutex = mutexes.apply(number);
                Blackboard shared = board;
                if (shared == null) {
                    alone(mutex);
                } else {
                    together(mutex, shared);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException | Error failed) {
                failure.compareAndSet(null, failed);
                underWay.countDown();
            }
        }

        private void alone(Mutex mutex) throws InterruptedException {
            mutex.lock();
            mutex.unlock();
            entries++;
            underWay.countDown();
            int pairs = 1;
            while (!over) {
                long begin = System.nanoTime();
                for (int i = 0; i < pairs; i++) {
                    mutex.lock();
                    mutex.unlock();
                }
                entries += pairs;
                served += counting ? pairs : 0;
                if (pairs < MOST_PAIRS_PER_LOOK && System.nanoTime() - begin < SHORT_LOOK_NANOS) {
                    pairs *= 2;
                }
            }
        }

        private void together(Mutex mutex, Blackboard shared) throws InterruptedException {
            mutex.lock();
            shared.enter(process);
            mutex.unlock();
            entries++;
            underWay.countDown();
            while (!over) {
                long begin = System.nanoTime();
                waitingSince.setRelease(begin);
                mutex.lock();
                long end = System.nanoTime();
                waitingSince.setRelease(0);
                boolean switched = shared.enter(process);
                mutex.unlock();
                entries++;
                if (counting) {
                    note(end - Math.max(begin, countingSince), switched);
                }
            }
        }

        private void note(long wait, boolean switched) {
            served++;
            longestWait = Math.max(longestWait, wait);
            if (switched) {
                switches++;
                longestSwitch = Math.max(longestSwitch, wait);
            }
        }
    }
}
