package dev.holdfast.tck;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long this process was kept from running, by a thread that does nothing but sleep briefly and look how late it
 * wakes. On a busy machine every other thread is late by about as much, and no store is to blame. Thread-safe.
 */
final class Stalls {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** What a nap takes longer on an idle machine. */
    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final AtomicLong LATE_NANOS = new AtomicLong();

    static {
        Thread watch = new Thread(Stalls::watch, "tck-stalls");
        watch.setDaemon(true);
        watch.start();
    }

    private Stalls() {}

    private static void watch() {
        while (true) {
            long begin = System.nanoTime();
            LockSupport.parkNanos(NAP_NANOS);
            long late = System.nanoTime() - begin - NAP_NANOS - GRAIN_NANOS;
            if (late > 0) {
                LATE_NANOS.addAndGet(late);
            }
        }
    }

    /** {@return the sum of all delays so far; the difference of two readings tells that of the time between them} */
    static long nanos() {
        return LATE_NANOS.get();
    }
}
