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
final class ProgramCode {
    private static final int MOST_AT_ONCE = 16;

    private final String what;
    private final String threadName;
    private final Semaphore free = new Semaphore(MOST_AT_ONCE);

    /**
     * Makes somebody who asks.
     *
     * @param what is asked for, for a message
     */
    ProgramCode(String what, String clientName) {
        this.what = what;
        this.threadName = "holdfast-" + clientName + "-asks-program";
    }

    /**
     * Asks.
     *
     * @throws BrokenConnection if there is no answer in time, or the code throws
     */
    <T> @Nullable T ask(Supplier<@Nullable T> question, Deadline deadline) {
        FutureTask<@Nullable T> asking = new FutureTask<>(question::get);
        try {
            begin(asking, deadline);
            return deadline.await(asking);
        } catch (TimeoutException late) {
            throw tooLate();
        } catch (ExecutionException failed) {
            // Its message is not repeated: a program may have put anything into it.
            Throwable thrown = failed.getCause() == null ? failed : failed.getCause();
            throw new BrokenConnection(new IllegalStateException("whoever was to tell " + what + " threw "
                    + thrown.getClass().getName()));
        } finally {
            asking.cancel(true);
        }
    }

    private void begin(FutureTask<?> asking, Deadline deadline) {
        boolean begins;
        try {
            begins = free.tryAcquire(Math.max(0, deadline.leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException remembered) {
            Thread.currentThread().interrupt();
            begins = free.tryAcquire();
        }
        if (!begins) {
            throw tooLate();
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        asking.run();
                    } finally {
                        free.release();
                    }
                },
                threadName);
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable noThread) {
            free.release();
            throw noThread;
        }
    }

    private BrokenConnection tooLate() {
        return new BrokenConnection(
                new SocketTimeoutException("whoever was to tell " + what + " did not answer in time"));
    }
}
