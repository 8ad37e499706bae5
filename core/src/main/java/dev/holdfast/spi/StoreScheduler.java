package dev.holdfast.spi;

import java.time.Duration;

/** Runs things later. Thread-safe. */
@FunctionalInterface
public interface StoreScheduler {
    /**
     * Runs a task once, after a delay, on the store context's I/O executor. The task may block.
     *
     * @param delay how long to wait
     * @param task what to run
     * @return cancels the task, if it has not begun
     */
    Runnable schedule(Duration delay, Runnable task);

    /**
     * Runs a task once, after a delay, on threads that are kept for such tasks: it guards a deadline, such as a command
     * timeout or a loss that has to be told, and must not wait behind work that hangs. The task itself must be short and
     * must not wait for a server.
     *
     * @param delay how long to wait
     * @param task what to run
     * @return cancels the task, if it has not begun
     */
    default Runnable scheduleGuard(Duration delay, Runnable task) {
        return schedule(delay, task);
    }
}
