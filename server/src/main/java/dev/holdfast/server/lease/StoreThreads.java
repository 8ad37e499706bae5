package dev.holdfast.server.lease;

import dev.holdfast.server.wire.Problem;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that call the store. Three lanes, so that what hangs in one holds up no other: asking for locks; keeping
 * and giving back what is held; looking. A request only has a thread while the store is being asked. Thread-safe.
 */
public final class StoreThreads implements AutoCloseable {
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor asking = lane("ask", 32, 20_000);
    private final ThreadPoolExecutor keeping = lane("keep", 32, 50_000);
    private final ThreadPoolExecutor looking = lane("look", 8, 256);
    private final ScheduledThreadPoolExecutor clock;

    /** Starts nothing yet. */
    public StoreThreads() {
        clock = new ScheduledThreadPoolExecutor(1, named("clock"));
        clock.setRemoveOnCancelPolicy(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Asks for a lock. */
    public void ask(Runnable task) {
        run(asking, task);
    }

    /** Renews, gives back or cleans up. */
    public void keep(Runnable task) {
        run(keeping, task);
    }

    /** Looks at locks. */
    public void look(Runnable task) {
        run(looking, task);
    }

    /** Runs something later; it must be quick. */
    public ScheduledFuture<?> later(long nanos, Runnable task) {
        return clock.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs something again and again; it must be quick. */
    public ScheduledFuture<?> every(long nanos, Runnable task) {
        return clock.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /** {@return how many calls wait for a thread} */
    public int backlog() {
        return asking.getQueue().size()
                + keeping.getQueue().size()
                + looking.getQueue().size();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        asking.shutdown();
        looking.shutdown();
        keeping.shutdown();
    }

    /** Waits for what was begun to end. */
    public void awaitIdle(long nanos) {
        try {
            boolean unused = keeping.awaitTermination(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(ThreadPoolExecutor lane, Runnable task) {
        try {
            lane.execute(task);
        } catch (RejectedExecutionException full) {
            throw new Problem(
                    Problem.Code.UNAVAILABLE, "the server has too much to do, or is stopping; try again in a moment");
        }
    }

    private static ThreadPoolExecutor lane(String name, int threads, int longest) {
        ThreadPoolExecutor lane = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(longest), named(name));
        lane.allowCoreThreadTimeOut(true);
        return lane;
    }

    private static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory plain = Executors.defaultThreadFactory();
        return task -> {
            Thread thread = plain.newThread(task);
            thread.setName("holdfast-server-" + name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
