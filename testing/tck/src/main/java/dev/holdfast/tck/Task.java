package dev.holdfast.tck;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Something that a test does on a thread of its own, so that it can wait for a lock while the test goes on. Thread-safe.
 *
 * @param <T> what comes out of it
 */
final class Task<T> {
    private final FutureTask<T> work;
    private final Thread thread;
    private final Duration patience;

    private Task(FutureTask<T> work, Thread thread, Duration patience) {
        this.work = work;
        this.thread = thread;
        this.patience = patience;
    }

    static <T> Task<T> start(String threadName, Duration patience, Callable<T> callable) {
        FutureTask<T> work = new FutureTask<>(callable);
        Thread thread = new Thread(work, threadName);
        thread.setDaemon(true);
        thread.start();
        return new Task<>(work, thread, patience);
    }

    /** Returns once the thread waits for something, or the task is done. */
    void untilWaiting() {
        Threads.untilWaiting(thread, patience);
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return work.isDone();
    }

    /**
     * Waits for the end.
     *
     * @return what the task returned
     * @throws Exception what the task threw, itself
     */
    T result() throws Exception {
        try {
            return work.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException thrown) {
            if (thrown.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new AssertionError("the task failed", thrown.getCause());
        } catch (TimeoutException late) {
            AssertionError hangs = new AssertionError(thread.getName() + " is not done after " + patience, late);
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        }
    }

    /** Makes an end, whatever the task is doing. */
    void end() {
        thread.interrupt();
        try {
            thread.join(patience.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
