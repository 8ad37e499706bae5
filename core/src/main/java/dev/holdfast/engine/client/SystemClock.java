package dev.holdfast.engine.client;

import dev.holdfast.spi.MonotonicClock;
import java.util.concurrent.TimeUnit;

/** The machine's clocks. All clients of a process share one origin, so that they can share a store in memory. */
final class SystemClock implements MonotonicClock {
    static final SystemClock INSTANCE = new SystemClock();

    private final long origin = System.nanoTime();

    private SystemClock() {}

    @Override
    public long nanos() {
        return System.nanoTime() - origin;
    }

    /** The time of day, for nothing but to notice that a snapshot of the process went on elsewhere. */
    static long wallMillis() {
        return System.currentTimeMillis();
    }

    /** How far wall time is ahead of monotonic time; grows when the machine was suspended, or its clock set forward. */
    long wallAheadNanos() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - nanos();
    }
}
