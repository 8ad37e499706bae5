package dev.holdfast.spi;

import java.time.Duration;

/** Runs things later. Thread-safe. */
@FunctionalInterface
public interface StoreScheduler {
    /**
     * Runs a task once, after a delay, on the store context's I/O executor.
     *
     * @param delay how long to wait
     * @param task what to run
     * @return cancels the task, if it has not begun
     */
    Runnable schedule(Duration delay, Runnable task);
}
