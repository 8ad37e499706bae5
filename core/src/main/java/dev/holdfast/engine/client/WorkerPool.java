package dev.holdfast.engine.client;

import dev.holdfast.engine.Timed;
import dev.holdfast.engine.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool that grows only while all of its threads are busy, and lets tasks wait only when it cannot grow. */
final class WorkerPool extends ThreadPoolExecutor {
    private static final Duration IDLE_LIFE = Duration.ofSeconds(10);
    private static final long NEXT_TRY_NANOS = 100_000_000;

    /** A task that somebody waits for. */
    interface Call extends Runnable {
        /** It is not going to be run. */
        void drop(Throwable why);
    }

    private final Timeline timer;

    /** Starts a thread for what waits, once one can be started; until then the timeline tries again and again. */
    private final Timed nudge = new Timed() {
        @Override
        public void onDue() {
            if (!isShutdown() && !getQueue().isEmpty()) {
                execute(() -> {});
            }
        }
    };

    WorkerPool(String name, int mostThreads, Timeline timer) {
        super(0, mostThreads, IDLE_LIFE.toMillis(), TimeUnit.MILLISECONDS, new IdleThreads(), new NamedThreads(name));
        this.timer = timer;
        setRejectedExecutionHandler((task, pool) -> {
            if (pool.isShutdown()) {
                throw new RejectedExecutionException("the client is closed");
            }
            pool.getQueue().add(task);
        });
    }

    /** What comes too late for this pool has a thread of its own, because the calling one may be for something else. */
    void executeAnyhow(Runnable task) {
        try {
            execute(task);
        } catch (RejectedExecutionException closed) {
            runApart(task);
        } catch (Error noThread) {
            // No thread can be started now: a running one takes it, or the first that can be started.
            getQueue().add(task);
            timer.schedule(nudge, SystemClock.INSTANCE.nanos() + NEXT_TRY_NANOS);
        }
    }

    /** Waits for what is under way, unless it is one of its own threads that closes the client. */
    void end(long untilNanos) {
        if (Thread.currentThread() instanceof PoolThread mine && mine.pool == getThreadFactory()) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (!awaitTermination(ClientThreads.leftOf(untilNanos), TimeUnit.NANOSECONDS)) {
                drop();
            }
        } catch (InterruptedException hurried) {
            interrupted = true;
            drop();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What did not get its turn must still tell somebody: a call its failure, a callback its outcome. */
    private void drop() {
        List<Runnable> dropped = shutdownNow();
        if (!dropped.isEmpty()) {
            runApart(() -> dropped.forEach(WorkerPool::runOrDrop));
        }
    }

    private void runApart(Runnable task) {
        try {
            getThreadFactory().newThread(task).start();
        } catch (Error noThread) {
            task.run();
        }
    }

    private static void runOrDrop(Runnable dropped) {
        if (dropped instanceof Call call) {
            call.drop(new RejectedExecutionException("the client is closed"));
        } else {
            dropped.run();
        }
    }

    /** Offers a task to a thread that waits for one; a task that is added by force waits its turn. */
    private static final class IdleThreads extends LinkedTransferQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        @Override
        public boolean add(Runnable task) {
            return super.offer(task);
        }
    }

    private static final class PoolThread extends Thread {
        private final Object pool;

        PoolThread(Object pool, Runnable task, String name) {
            super(task, name);
            this.pool = pool;
            setDaemon(true);
        }
    }

    private static final class NamedThreads implements ThreadFactory {
        private final String name;
        private final AtomicInteger count = new AtomicInteger();

        NamedThreads(String name) {
            this.name = name;
        }

        @Override
        public Thread newThread(Runnable task) {
            return new PoolThread(this, task, name + "-" + count.incrementAndGet());
        }
    }
}
