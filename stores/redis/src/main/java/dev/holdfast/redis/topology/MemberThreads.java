package dev.holdfast.redis.topology;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for asking several servers side by side. There is no queue: what is for a server that answers never waits behind
 * what is for one that does not. They end when they have had nothing to do for a while, and with the store. Thread-safe.
 */
public final class MemberThreads implements Executor, AutoCloseable {
    private static final int MOST = 256;
    private static final long IDLE_SECONDS = 5;

    private final ThreadPoolExecutor threads;

    /** Makes threads that carry the name of a client. */
    public MemberThreads(String clientName) {
        AtomicInteger count = new AtomicInteger();
        this.threads =
                new ThreadPoolExecutor(0, MOST, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread =
                            new Thread(task, "holdfast-" + clientName + "-redis-member-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Runs a task now.
     *
     * @throws RejectedExecutionException if there are too many already, or the store is closed
     */
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
