package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Two processes pass one lock to and fro. The holder gives it back only when the other has been waiting for a while, so
 * that what is measured is waking a waiter that sleeps. The monotonic clock is the same in all processes of a machine.
 */
final class HandOver implements Heat, Runnable {
    /** Long enough for a waiter to have subscribed and gone to sleep. */
    private static final long WAITER_SETTLES_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** Looking costs the processors that the hand-over needs. */
    private static final long BETWEEN_LOOKS_WHILE_MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Mutex mutex;
    private final long mostNanosKeptWaiting;
    private final Blackboard board;
    private final int process;
    private final int other;
    private final Thread thread = new Thread(this, "hand-over");
    private final CountDownLatch underWay = new CountDownLatch(1);
    private final List<Long> samples = new ArrayList<>();
    private long entries;
    private volatile boolean counting;
    private volatile boolean over;
    private volatile long countingSince;
    private volatile @Nullable Throwable failure;

    /**
     * Makes one.
     *
     * @param mutex of this process
     * @param keptWaitingMillis for how much longer, at most, a waiter that has settled is kept waiting; those who ask in
     *     fixed intervals would otherwise always be met at the same point of them
     */
    HandOver(Mutex mutex, int keptWaitingMillis, Blackboard board, int process) {
        this.mutex = mutex;
        this.mostNanosKeptWaiting = TimeUnit.MILLISECONDS.toNanos(keptWaitingMillis);
        this.board = board;
        this.process = process;
        this.other = 3 - process;
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
            throw new IllegalStateException("the hand-over failed", failed);
        }
        List<Long> sorted = samples.stream().sorted().toList();
        long median = sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
        long longest = sorted.isEmpty() ? 0 : sorted.get(sorted.size() - 1);
        return new Lap(nanos, List.of((long) sorted.size()), entries, sorted.size(), longest, longest, median);
    }

    @Override
    public void run() {
        try {
            while (!over) {
                board.waiting(process, true);
                mutex.lock();
                long now = System.nanoTime();
                board.waiting(process, false);
                entries++;
                if (board.enter(process) && counting) {
                    samples.add(now - board.releasedAt());
                }
                awaitOther();
                board.releasing(System.nanoTime());
                mutex.unlock();
                awaitEntryOfOther();
                underWay.countDown();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failed) {
            failure = failed;
            underWay.countDown();
        }
    }

    /** Whoever lets latecomers pass a waiter would otherwise give it back to us at once, and nothing is handed over. */
    private void awaitEntryOfOther() {
        while (board.lastProcess() != other && !over) {
            LockSupport.parkNanos(BETWEEN_LOOKS_WHILE_MEASURED_NANOS);
        }
    }

    private void awaitOther() {
        while (!board.isWaiting(other) && !over) {
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
        long begin = System.nanoTime();
        long nanos = WAITER_SETTLES_NANOS + ThreadLocalRandom.current().nextLong(mostNanosKeptWaiting + 1);
        for (long left = nanos; left > 0 && !over; left = nanos - (System.nanoTime() - begin)) {
            LockSupport.parkNanos(Math.min(left, WAITER_SETTLES_NANOS));
        }
    }
}
