package dev.holdfast.engine.client;

import dev.holdfast.engine.Log;
import dev.holdfast.engine.Timed;
import dev.holdfast.engine.TimedHeap;
import dev.holdfast.engine.Timeline;
import dev.holdfast.spi.MonotonicClock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of a real client: one thread that does no I/O and runs no user code. It is started with the first thing
 * to do. It is woken only for something earlier than it waits for, so that taking and releasing a lock again and again
 * does not wake it at all. Thread-safe.
 *
 * <p>Nobody waits for the lock but this thread: whoever finds it taken leaves a note. A virtual thread that waited would do
 * so with the monitor of its gate, and might not get a processor for long; or it would keep its processor, where monitors
 * pin (JDK 21 to 23), from the one that is next.
 */
final class TimerThread implements Timeline, AutoCloseable {
    private static final long LONGEST_GOODBYE_NANOS = 1_000_000_000;
    private static final long NEXT_TRY_NANOS = 100_000_000;

    private final MonotonicClock clock;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();

    /** What those could not do who found the lock taken, in order. Whoever has had the lock looks here afterwards. */
    private final Queue<Note> notes = new ConcurrentLinkedQueue<>();

    /** Guarded by the lock, as are all below. */
    private final TimedHeap heap = new TimedHeap();

    private long waitsUntilNanos = Long.MAX_VALUE;
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    /** Something to be scheduled, or cancelled. */
    private record Note(Timed timed, long dueNanos, boolean isCancelled) {}

    TimerThread(MonotonicClock clock, String name) {
        this.clock = clock;
        this.name = name;
    }

    @Override
    public void schedule(Timed timed, long dueNanos) {
        change(timed, dueNanos, false);
    }

    @Override
    public void cancel(Timed timed) {
        change(timed, 0, true);
    }

    private void change(Timed timed, long dueNanos, boolean isCancelled) {
        if (lock.tryLock()) {
            try {
                followNotes();
                apply(timed, dueNanos, isCancelled);
            } finally {
                lock.unlock();
            }
        } else {
            notes.add(new Note(timed, dueNanos, isCancelled));
        }
        while (!notes.isEmpty() && lock.tryLock()) {
            try {
                followNotes();
            } finally {
                lock.unlock();
            }
        }
    }

    private void followNotes() {
        for (Note next = notes.peek(); next != null; next = notes.peek()) {
            apply(next.timed, next.dueNanos, next.isCancelled);
            notes.remove();
        }
    }

    private void apply(Timed timed, long dueNanos, boolean isCancelled) {
        if (isCancelled) {
            heap.remove(timed);
        } else if (!closed) {
            heap.put(timed, dueNanos);
            if (thread == null) {
                start();
            } else if (dueNanos < waitsUntilNanos) {
                LockSupport.unpark(thread);
            }
        }
    }

    @Override
    public boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    /** Ends the thread; what was scheduled does not happen. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        ClientThreads.join(thread, LONGEST_GOODBYE_NANOS);
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
        while (!closed) {
            long left;
            lock.lock();
            try {
                followNotes();
                Timed first = heap.first();
                long dueNanos = heap.firstDueNanos();
                left = dueNanos - clock.nanos();
                if (first != null && left <= 0) {
                    heap.remove(first);
                    waitsUntilNanos = Long.MIN_VALUE;
                    return first;
                }
                waitsUntilNanos = dueNanos;
            } finally {
                lock.unlock();
            }
            if (notes.isEmpty() && !closed) {
                LockSupport.parkNanos(this, left);
                // Nobody but close() ends this thread; an interrupt from elsewhere only makes it look again.
                boolean unused = Thread.interrupted();
            }
        }
        return null;
    }
}
