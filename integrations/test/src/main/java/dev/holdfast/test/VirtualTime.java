package dev.holdfast.test;

import dev.holdfast.engine.Timed;
import dev.holdfast.engine.TimedHeap;
import dev.holdfast.engine.Timeline;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A time that passes only when it is told to. What is due happens on a thread of its own, the engine's calls and callbacks
 * on others. It is <em>quiet</em> when nothing is due, no task is queued or runs, and every thread that time has woken
 * waits again or has left the engine. Time moves from one due moment to the next, and only while it is quiet. Thread-safe.
 */
final class VirtualTime implements MonotonicClock, Timeline, AutoCloseable {
    /** In real time; only something that hangs takes that long. */
    private static final long LONGEST_UNREST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int DEEPEST_SHOWN = 12;
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread pump = new Thread(this::runDue, "holdfast-test-time");

    /** Guarded by the lock, as are all below. */
    private final TimedHeap heap = new TimedHeap();

    /** Threads that run tasks now. */
    private final Set<Thread> workers = new HashSet<>();

    /** Threads that are not known to wait: workers, and those that time has woken. */
    private final Set<Thread> running = new HashSet<>();

    private final Set<Thread> parked = new HashSet<>();
    private int queued;
    private boolean pumping;
    private boolean closed;
    private volatile long now = START_NANOS;

    VirtualTime() {
        pump.setDaemon(true);
        pump.start();
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void schedule(Timed timed, long dueNanos) {
        locked(() -> {
            if (!closed) {
                heap.put(timed, dueNanos);
            }
        });
    }

    @Override
    public void cancel(Timed timed) {
        locked(() -> heap.remove(timed));
    }

    private void locked(Runnable step) {
        lock.lock();
        try {
            step.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void runDue() {
        for (Timed due = awaitDue(); due != null; due = awaitDue()) {
            try {
                due.onDue();
            } catch (RuntimeException | Error broken) {
                System.getLogger("dev.holdfast").log(System.Logger.Level.ERROR, "a timed step failed", broken);
            }
        }
    }

    private @Nullable Timed awaitDue() {
        lock.lock();
        try {
            pumping = false;
            changed.signalAll();
            while (!closed && heap.firstDueNanos() > now) {
                changed.awaitUninterruptibly();
            }
            Timed first = heap.first();
            if (closed || first == null) {
                return null;
            }
            heap.remove(first);
            pumping = true;
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Wraps an executor so that what it runs counts as unrest. */
    Executor counted(Executor threads) {
        return task -> {
            locked(() -> queued++);
            try {
                threads.execute(() -> run(task));
            } catch (RuntimeException | Error refused) {
                locked(() -> queued--);
                throw refused;
            }
        };
    }

    private void run(Runnable task) {
        Thread me = Thread.currentThread();
        locked(() -> {
            queued--;
            workers.add(me);
            running.add(me);
        });
        try {
            task.run();
        } finally {
            locked(() -> {
                workers.remove(me);
                running.remove(me);
            });
        }
    }

    @Override
    public void park(Object blocker, long nanos) {
        Thread me = Thread.currentThread();
        Wake wake = new Wake(me);
        locked(() -> {
            running.remove(me);
            parked.add(me);
            if (nanos != Long.MAX_VALUE) {
                heap.put(wake, now + Math.max(0, nanos));
            }
        });
        LockSupport.park(blocker);
        locked(() -> {
            wake.over = true;
            heap.remove(wake);
            parked.remove(me);
            if (workers.contains(me)) {
                running.add(me);
            }
        });
    }

    /** Wakes a thread if it waits, and counts it from that moment on. */
    void wake(Thread thread) {
        locked(() -> {
            if (parked.contains(thread)) {
                running.add(thread);
            }
            LockSupport.unpark(thread);
        });
    }

    /** Wakes a parked thread when its time is up. */
    private final class Wake extends Timed {
        private final Thread thread;

        /** Guarded by the lock. */
        private boolean over;

        Wake(Thread thread) {
            this.thread = thread;
        }

        @Override
        public void onDue() {
            locked(() -> {
                if (!over) {
                    wake(thread);
                }
            });
        }
    }

    @Override
    public void waitIsOver() {
        Thread me = Thread.currentThread();
        locked(() -> {
            if (!workers.contains(me)) {
                running.remove(me);
            }
        });
    }

    /** Waits in real time until so many threads wait. */
    void awaitParked(int count) {
        lock.lock();
        try {
            if (!await(LONGEST_UNREST_NANOS, () -> parked.size() >= count)) {
                throw new AssertionError(
                        "expected " + count + " threads to wait for locks, but after 10 s there are " + parked.size());
            }
        } finally {
            lock.unlock();
        }
    }

    Duration elapsed() {
        return Duration.ofNanos(now - START_NANOS);
    }

    /** Runs a task once, after some time; returns how to cancel it. */
    Runnable later(long nanos, Runnable task) {
        Timed timed = new Timed() {
            @Override
            public void onDue() {
                task.run();
            }
        };
        schedule(timed, now + nanos);
        return () -> cancel(timed);
    }

    /** Moves time, through everything that becomes due. */
    void pass(long nanos) {
        long until = now + nanos;
        boolean arrived = false;
        while (!arrived) {
            settle();
            lock.lock();
            try {
                arrived = heap.firstDueNanos() > until;
                now = Math.max(now, Math.min(until, heap.firstDueNanos()));
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits in real time until it is quiet. */
    void settle() {
        lock.lock();
        try {
            if (workers.contains(Thread.currentThread())) {
                throw new IllegalStateException("time cannot pass inside a callback: it waits for callbacks to end");
            }
            if (!await(LONGEST_UNREST_NANOS, this::isQuiet)) {
                throw new AssertionError(unrest());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is quiet but for the calling thread, or until nobody knows why it is not. */
    void settleAround() {
        lock.lock();
        try {
            boolean unused = await(LONGEST_UNREST_NANOS, this::isQuiet);
        } finally {
            lock.unlock();
        }
    }

    private boolean await(long nanos, BooleanSupplier condition) {
        boolean interrupted = false;
        long left = nanos;
        while (!condition.getAsBoolean() && left > 0) {
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException remembered) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return condition.getAsBoolean();
    }

    private boolean isQuiet() {
        Thread me = Thread.currentThread();
        boolean onlyMe = running.isEmpty() || (running.size() == 1 && running.contains(me));
        return closed || (queued == 0 && onlyMe && !pumping && heap.firstDueNanos() > now);
    }

    private String unrest() {
        String stacks = running.stream()
                .map(thread -> Arrays.stream(thread.getStackTrace())
                        .limit(DEEPEST_SHOWN)
                        .map(frame -> "\n    at " + frame)
                        .collect(Collectors.joining("", "\n" + thread.getName(), "")))
                .collect(Collectors.joining());
        return "a callback, or a thread that a lock has woken, did not come to rest within 10 s. Does it wait for"
                + " something that the test does later?" + stacks;
    }

    @Override
    public void close() {
        locked(() -> closed = true);
    }
}
