package dev.holdfast.store.file;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.MonotonicClock;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Something that a caller asks of the keeper. The caller waits without being interrupted, up to a deadline. */
final class Task<R> {
    private final Work<R> work;
    private final long deadlineNanos;
    private final Thread caller = Thread.currentThread();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Written by the keeper before the state says so. */
    private @Nullable R result;

    private @Nullable Exception failure;

    /** What is done under the directory's lock. */
    interface Work<R> {
        R run(SharedTable table) throws IOException;
    }

    private enum State {
        WAITING,
        BEGUN,
        DONE,
        CANCELLED
    }

    Task(Work<R> work, long deadlineNanos) {
        this.work = work;
        this.deadlineNanos = deadlineNanos;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** {@return whether the caller still waits for it} */
    boolean begin() {
        return state.compareAndSet(State.WAITING, State.BEGUN);
    }

    /** {@return whether it will certainly not be done} */
    boolean cancel() {
        return state.compareAndSet(State.WAITING, State.CANCELLED);
    }

    /** Does it; the caller hears of it when the lock is free again. */
    void perform(SharedTable table) {
        try {
            result = table.perform(work);
        } catch (IOException | RuntimeException failed) {
            failure = failed;
        }
    }

    void finish() {
        state.set(State.DONE);
        LockSupport.unpark(caller);
    }

    /** Tells the caller that it was not done, or that nobody knows; too late if the caller has its answer. */
    void fail(Exception cause) {
        if (state.get() == State.DONE) {
            return;
        }
        if (failure == null) {
            failure = cause;
        }
        finish();
    }

    /** {@return the result} */
    R await(MonotonicClock clock, String operation, String lockName) {
        boolean interrupted = false;
        try {
            while (state.get() != State.DONE) {
                long left = deadlineNanos - clock.nanos();
                if (left > 0) {
                    LockSupport.parkNanos(this, left);
                    interrupted |= Thread.interrupted();
                } else if (state.compareAndSet(State.WAITING, State.CANCELLED) || state.get() == State.BEGUN) {
                    throw Faults.late(operation, lockName);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        Exception failed = failure;
        R done = result;
        if (failed instanceof HoldfastException known) {
            throw known;
        }
        if (failed != null || done == null) {
            throw Faults.of(operation, lockName, failed);
        }
        return done;
    }
}
