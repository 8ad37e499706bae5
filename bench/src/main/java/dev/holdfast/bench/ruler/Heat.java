package dev.holdfast.bench.ruler;

import java.time.Duration;

/** Threads of one process at work with a lock: under way first, then counted, then stopped. */
interface Heat {
    void start();

    /** Waits until every thread has had the lock once, or not longer; tells which. */
    boolean awaitUnderWay(Duration patience) throws InterruptedException;

    /** From now on everything counts. */
    void count();

    /** Ends it and tells what was counted. */
    Lap stop() throws InterruptedException;
}
