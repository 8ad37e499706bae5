package dev.holdfast.jdbc.dialect;

import dev.holdfast.HoldfastException;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens or borrows connections on threads of its own. A driver or a pool may take longer than the caller has, and cannot be
 * told to give up; and a data source that belongs to a thread's transaction must not see the caller's thread. What comes
 * too late is kept for the next. Thread-safe.
 */
final class Opener implements AutoCloseable {
    private static final int MOST_THREADS = 64;
    private static final long IDLE_SECONDS = 5;

    private final ConnectionSource source;
    private final int silenceMillis;
    private final Consumer<Visit> late;
    private final ThreadPoolExecutor threads;

    /** Apart from the others, so that connections that cannot be closed do not keep new ones from being opened. */
    private final ThreadPoolExecutor closers;

    /**
     * Makes it.
     *
     * @param source where connections come from
     * @param silenceMillis how long a connection may be silent
     * @param late takes connections that nobody waits for any more
     */
    Opener(ConnectionSource source, int silenceMillis, Consumer<Visit> late) {
        this.source = source;
        this.silenceMillis = silenceMillis;
        this.late = late;
        this.threads = pool("holdfast-jdbc-opener");
        this.closers = pool("holdfast-jdbc-closer");
    }

    private static ThreadPoolExecutor pool(String name) {
        return new ThreadPoolExecutor(
                0, MOST_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Opens one; the caller's interrupt status is put aside, because a single try works on an interrupted thread too.
     *
     * @param prepared whether to set it up for single pieces of work
     */
    Visit open(int millis, boolean prepared) throws SQLException {
        CompletableFuture<Visit> opening = new CompletableFuture<>();
        try {
            threads.execute(() -> open(opening, prepared));
        } catch (RejectedExecutionException busy) {
            throw new NoConnectionException("too many connections are being opened, or the store is closed", "08001");
        }
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return opening.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException again) {
                    interrupted = true;
                } catch (TimeoutException slow) {
                    opening.thenAccept(prepared || source.isShared() ? late : Visit::discard);
                    throw new NoConnectionException("there was no connection within the command timeout", "08001");
                } catch (ExecutionException failed) {
                    throw failureOf(failed.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void open(CompletableFuture<Visit> opening, boolean prepared) {
        try {
            Visit visit = Visit.begin(source.connect(), silenceMillis, this::aside);
            if (prepared) {
                prepare(visit);
            }
            opening.complete(visit);
        } catch (SQLException | RuntimeException | Error failure) {
            opening.completeExceptionally(failure);
        }
    }

    /**
     * Some pools open a connection in the place of one that is closed, on the thread that closes it; and MariaDB's driver
     * closes a connection that another thread uses by asking the server over a new one.
     */
    private void aside(Runnable closing) {
        try {
            closers.execute(closing);
        } catch (RejectedExecutionException busy) {
            closing.run();
        }
    }

    private static void prepare(Visit visit) throws SQLException {
        try {
            Transactions.prepareOwn(visit.connection());
        } catch (SQLException | RuntimeException unusable) {
            visit.discard();
            throw unusable;
        }
    }

    /**
     * A pool, or the function that tells the password, may fail in any way of its own, also for a while only. Its message is
     * not passed on: it may quote the URL, and that a password.
     */
    private static SQLException failureOf(@Nullable Throwable cause) {
        if (cause instanceof SQLException failure) {
            return failure;
        }
        if (cause instanceof HoldfastException ours) {
            throw ours;
        }
        if (cause instanceof RuntimeException failure) {
            SQLException none = new NoConnectionException(
                    "a connection could not be had (" + failure.getClass().getName() + ")", "08001");
            none.setStackTrace(failure.getStackTrace());
            return none;
        }
        throw new CompletionException("a connection could not be opened", cause);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        closers.shutdown();
    }
}
