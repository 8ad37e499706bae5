package dev.holdfast.engine;

/** Lets things happen at their time. Thread-safe; may be called with a gate's monitor held. */
public interface Timeline {
    /** Schedules something, or moves it if it is scheduled already. */
    void schedule(Timed timed, long dueNanos);

    /** Takes something off, if it is scheduled. */
    void cancel(Timed timed);
}
