package dev.holdfast.engine.client;

import dev.holdfast.engine.Log;
import dev.holdfast.engine.Timed;
import dev.holdfast.engine.TimedHeap;
import dev.holdfast.engine.Timeline;
import dev.holdfast.spi.MonotonicClock;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of a real client: one thread that does no I/O and runs no user code. It is started with the first thing
 * to do. It is woken only for something earlier than it waits for, so that taking and releasing a lock again and again
 * does not wake it at all. Thread-safe.
 *
 * <p>Guarded by a monitor and not by a {@code Lock}, because it is used both with and without a gate's monitor held. Up to
 * Java 23 a virtual thread that waits inside a monitor keeps its carrier. In the queue of a lock such threads can stand behind
 * one that needs a carrier to go on, and then none of them ever does.
 */
final class TimerThread implements Timeline, AutoCloseable {
    private static final long LONGEST_GOODBYE_NANOS = 1_000_000_000;
    private static final long NEXT_TRY_NANOS = 100_000_000;

    private final MonotonicClock clock;
    private final String name;

    /** Guarded by itself, as are all below. */
    private final TimedHeap heap = new TimedHeap();

    /** Until when the thread sleeps or is about to; written by that thread only. */
    private long waitsUntilNanos = Long.MIN_VALUE;

    private volatile @Nullable Thread thread;
    private boolean closed;

    TimerThread(MonotonicClock clock, String name) {
        this.clock = clock;
        this.name = name;
    }

    @Override
    public void schedule(Timed timed, long dueNanos) {
        synchronized (heap) {
            if (closed) {
                return;
            }
            heap.put(timed, dueNanos);
            if (thread == null) {
                start();
            } else if (dueNanos < waitsUntilNanos) {
                LockSupport.unpark(thread);
            }
        }
    }

    @Override
    public void cancel(Timed timed) {
        synchronized (heap) {
            heap.remove(timed);
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
        synchronized (heap) {
            closed = true;
            running = thread;
        }
        LockSupport.unpark(running);
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
        while (true) {
            synchronized (heap) {
                if (closed) {
                    return null;
                }
                waitsUntilNanos = heap.firstDueNanos();
                Timed first = heap.first();
                if (first != null && waitsUntilNanos <= clock.nanos()) {
                    waitsUntilNanos = Long.MIN_VALUE;
                    heap.remove(first);
                    return first;
                }
            }
            park(this, waitsUntilNanos == Long.MAX_VALUE ? waitsUntilNanos : waitsUntilNanos - clock.nanos());
            // Nobody but close() ends this thread; an interrupt from elsewhere only makes it look again.
            boolean unused = Thread.interrupted();
        }
    }
}
