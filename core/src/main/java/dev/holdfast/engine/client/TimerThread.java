package dev.holdfast.engine.client;

import dev.holdfast.engine.Log;
import dev.holdfast.engine.Timed;
import dev.holdfast.engine.TimedHeap;
import dev.holdfast.engine.Timeline;
import dev.holdfast.spi.MonotonicClock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of a real client: one thread that does no I/O and runs no user code. It is started with the first thing
 * to do. It is woken only for something earlier than it waits for, so that taking and releasing a lock again and again
 * does not wake it at all. Thread-safe.
 */
final class TimerThread implements Timeline, AutoCloseable {
    private static final long LONGEST_GOODBYE_NANOS = 1_000_000_000;
    private static final long NEXT_TRY_NANOS = 100_000_000;

    private final MonotonicClock clock;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition earlier = lock.newCondition();

    /** Guarded by the lock, as are all below. */
    private final TimedHeap heap = new TimedHeap();

    private long waitsUntilNanos = Long.MAX_VALUE;
    private volatile @Nullable Thread thread;
    private boolean closed;

    TimerThread(MonotonicClock clock, String name) {
        this.clock = clock;
        this.name = name;
    }

    @Override
    public void schedule(Timed timed, long dueNanos) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            heap.put(timed, dueNanos);
            if (thread == null) {
                start();
            } else if (dueNanos < waitsUntilNanos) {
                earlier.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancel(Timed timed) {
        lock.lock();
        try {
            heap.remove(timed);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    /** Ends the thread; what was scheduled does not happen. */
    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = thread;
            earlier.signal();
        } finally {
            lock.unlock();
        }
        ClientThreads.join(running, LONGEST_GOODBYE_NANOS);
    }

    private void start() {
        Thread fresh = new Thread(this::run, name);
        fresh.setDaemon(true);
        fresh.start();
        thread = fresh;
    }

    private void run() {
        boolean open = true;
        while (open) {
            try {
                open = runNext();
            } catch (RuntimeException | Error full) {
                // Nothing may end this thread: all losses are told by it.
                Log.error("the timer thread could not wait", full);
            }
        }
    }

    private boolean runNext() {
        Timed next = awaitNext();
        if (next == null) {
            return false;
        }
        try {
            next.onDue();
        } catch (RuntimeException | Error broken) {
            schedule(next, clock.nanos() + NEXT_TRY_NANOS);
            Log.error("a timed step of the Holdfast engine failed", broken);
        }
        return true;
    }

    private @Nullable Timed awaitNext() {
        lock.lock();
        try {
            while (!closed) {
                Timed first = heap.first();
                long left = heap.firstDueNanos() - clock.nanos();
                if (first != null && left <= 0) {
                    heap.remove(first);
                    return first;
                }
                waitsUntilNanos = heap.firstDueNanos();
                try {
                    long unused = earlier.awaitNanos(left);
                } catch (InterruptedException stray) {
                    // Nobody but close() ends this thread; an interrupt from elsewhere only makes it look again.
                }
                waitsUntilNanos = Long.MIN_VALUE;
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
