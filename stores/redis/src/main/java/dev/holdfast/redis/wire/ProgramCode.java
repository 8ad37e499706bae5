package dev.holdfast.redis.wire;

import java.net.SocketTimeoutException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks code of the program by a deadline. It may hang, and whoever needs the answer has a deadline of its own, so each question
 * has a thread of its own, which is interrupted when nobody waits any more. Code that does not even end then is asked only so
 * often again. Thread-safe.
 */
public final class ProgramCode {
    private static final int MOST_AT_ONCE = 16;

    private static final String THREAD_NAME = "holdfast-asks-program";

    private final Semaphore free = new Semaphore(MOST_AT_ONCE);

    /**
     * Asks.
     *
     * @param what is asked for, for a message
     * @throws BrokenConnection if there is no answer in time, or the code throws
     */
    <T> @Nullable T ask(String what, Supplier<@Nullable T> question, Deadline deadline) {
        FutureTask<@Nullable T> asking = new FutureTask<>(question::get);
        try {
            begin(what, asking, deadline);
            return deadline.await(asking);
        } catch (TimeoutException late) {
            throw tooLate(what);
        } catch (ExecutionException failed) {
            // Its message is not repeated: a program may have put anything into it.
            Throwable thrown = failed.getCause() == null ? failed : failed.getCause();
            throw new BrokenConnection(new IllegalStateException("whoever was to tell " + what + " threw "
                    + thrown.getClass().getName()));
        } finally {
            asking.cancel(true);
        }
    }

    private void begin(String what, FutureTask<?> asking, Deadline deadline) {
        boolean begins;
        try {
            begins = free.tryAcquire(Math.max(0, deadline.leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException remembered) {
            Thread.currentThread().interrupt();
            begins = free.tryAcquire();
        }
        if (!begins) {
            throw tooLate(what);
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        asking.run();
                    } finally {
                        free.release();
                    }
                },
                THREAD_NAME);
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable noThread) {
            free.release();
            throw noThread;
        }
    }

    private static BrokenConnection tooLate(String what) {
        return new BrokenConnection(
                new SocketTimeoutException("whoever was to tell " + what + " did not answer in time"));
    }
}
