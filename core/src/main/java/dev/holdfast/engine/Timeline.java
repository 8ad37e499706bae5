package dev.holdfast.engine;

import java.util.concurrent.locks.LockSupport;

/** Lets things happen at their time. Thread-safe; may be called with a gate's monitor held. */
public interface Timeline {
    /** Schedules something, or moves it if it is scheduled already. */
    void schedule(Timed timed, long dueNanos);

    /** Takes something off, if it is scheduled. */
    void cancel(Timed timed);

    /**
     * Parks the calling thread until somebody unparks it or its time is up; may return earlier. No monitor is held.
     *
     * @param blocker what it waits for
     * @param nanos how long, by the clock of this timeline; {@code Long.MAX_VALUE} for ever
     */
    default void park(Object blocker, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(blocker);
        } else {
            LockSupport.parkNanos(blocker, nanos);
        }
    }

    /** Whether the calling thread is the one on which everything happens, and must not be kept. */
    default boolean isThisThread() {
        return false;
    }

    /** The calling thread has its lease, or will not get one, and returns to the user's code. */
    default void waitIsOver() {}
}
