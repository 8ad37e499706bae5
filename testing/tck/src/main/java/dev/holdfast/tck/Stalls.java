package dev.holdfast.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** Of the thread that reads it: nanoseconds on a processor, nanoseconds without one, and how often. */
    private static final Path OWN_DELAYS = Path.of("/proc/thread-self/schedstat");

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

    /**
     * {@return how long the calling thread was ready to run so far, and no processor was free for it} The watch sleeps most of
     * the time, so the system lets it run before threads that work. Nothing where the system does not tell.
     */
    static long nanosOfThisThread() {
        try {
            return Long.parseLong(Files.readString(OWN_DELAYS).split(" ", -1)[1]);
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException notLinux) {
            return 0;
        }
    }
}
