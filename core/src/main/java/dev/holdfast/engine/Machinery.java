package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a real client: one for time, a few for calls to the store, two that only renew, a few that a store may
 * use itself, a few for user code.
 * All are started when needed, end when idle (but the one for time), and end with the client. Thread-safe.
 */
final class Machinery implements AutoCloseable {
    private static final int CALL_THREADS = 8;
    private static final int RENEWAL_THREADS = 2;
    private static final int CALLBACK_THREADS = 64;
    private static final Duration IDLE_LIFE = Duration.ofSeconds(10);
    private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(5);

    private final String name;
    private final TimerThread timer;
    private final ThreadPoolExecutor calls;
    private final ThreadPoolExecutor renewals;
    private final ThreadPoolExecutor storeTasks;
    private final ThreadPoolExecutor ownCallbacks;
    private final @Nullable Executor userCallbacks;
    private final Supplier<LockStore> store;

    /**
     * Sets up the threads; none is started yet.
     *
     * @param name what their names begin with
     * @param store the store to call, known by the time of the first call
     * @param callbacks where user code runs, or null for threads of our own
     */
    Machinery(String name, Supplier<LockStore> store, @Nullable Executor callbacks) {
        this.name = name;
        this.store = store;
        this.timer = new TimerThread(clock(), name + "-time");
        this.calls = pool("store", CALL_THREADS);
        this.renewals = pool("renewal", RENEWAL_THREADS);
        this.storeTasks = pool("io", CALL_THREADS);
        this.ownCallbacks = pool("callback", CALLBACK_THREADS);
        this.userCallbacks = callbacks;
    }

    Surroundings surroundings() {
        RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
        return new Surroundings(clock(), timer, new Calls(), this::callBack, random, new OwnerMint());
    }

    MonotonicClock clock() {
        return SystemClock.INSTANCE;
    }

    /** For stores: threads apart from those that call the store, so that a call may wait for its own tasks. */
    Executor storeExecutor() {
        return storeTasks;
    }

    /** For stores: runs something later on a thread that may block. */
    Runnable schedule(Duration delay, Runnable task) {
        Timed timed = new Timed() {
            @Override
            public void onDue() {
                storeTasks.execute(task);
            }
        };
        timer.schedule(timed, clock().nanos() + delay.toNanos());
        return () -> timer.cancel(timed);
    }

    @Override
    public void close() {
        timer.close();
        end(calls);
        end(renewals);
        end(storeTasks);
        end(ownCallbacks);
    }

    /** Lets a pool finish what it has begun, unless it is one of its own threads that closes the client. */
    private void end(ThreadPoolExecutor pool) {
        pool.shutdown();
        if (Thread.currentThread() instanceof PoolThread mine && mine.isOf(this)) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (!pool.awaitTermination(LONGEST_GOODBYE.toNanos(), TimeUnit.NANOSECONDS)) {
                drop(pool);
            }
        } catch (InterruptedException hurried) {
            interrupted = true;
            drop(pool);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a thread to end, unless it is this one. */
    static void join(@Nullable Thread thread) {
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(LONGEST_GOODBYE.toMillis());
        } catch (InterruptedException hurried) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private ThreadPoolExecutor pool(String purpose, int threads) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_LIFE.toMillis(), TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), task -> {
                    String threadName = name + "-" + purpose + "-" + count.incrementAndGet();
                    return new PoolThread(this, task, threadName);
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** What did not get its turn must still tell somebody: a call its failure, a callback its outcome. */
    private static void drop(ThreadPoolExecutor pool) {
        for (Runnable waiting : pool.shutdownNow()) {
            if (waiting instanceof Job<?> job) {
                job.fail(new RejectedExecutionException("the client is closed"));
            } else {
                waiting.run();
            }
        }
    }

    /** Runs user code: never on the thread for time or on one that calls the store, and in any case. */
    private void callBack(Runnable task) {
        boolean ours = timer.isCurrent() || (Thread.currentThread() instanceof PoolThread mine && mine.isOf(this));
        if (userCallbacks == null) {
            callBackHere(task);
        } else if (ours) {
            callBackHere(() -> callBackThere(userCallbacks, task));
        } else {
            callBackThere(userCallbacks, task);
        }
    }

    private void callBackThere(Executor target, Runnable task) {
        try {
            target.execute(task);
        } catch (RuntimeException | Error refused) {
            callBackHere(task);
        }
    }

    private void callBackHere(Runnable task) {
        try {
            ownCallbacks.execute(task);
        } catch (RejectedExecutionException closed) {
            task.run();
        } catch (Error noThread) {
            // No thread can be started now: a running one takes it, or the first that can be started.
            ownCallbacks.getQueue().add(task);
        }
    }

    /** Knows whose thread it is. */
    private static final class PoolThread extends Thread {
        private final Machinery machinery;

        PoolThread(Machinery machinery, Runnable task, String name) {
            super(task, name);
            this.machinery = machinery;
            setDaemon(true);
        }

        boolean isOf(Machinery other) {
            return machinery == other;
        }
    }

    private final class Calls implements StoreCalls {
        @Override
        public <R> void submit(Lane lane, Function<LockStore, R> call, Reply<R> reply) {
            Job<R> job = new Job<>(Machinery.this, call, reply);
            try {
                (lane == Lane.RENEWALS ? renewals : calls).execute(job);
            } catch (RejectedExecutionException closing) {
                finishHere(job, closing);
            } catch (RuntimeException | Error refused) {
                job.fail(refused);
            }
        }

        /**
         * The client closes, and the answer to a call that was under way asks for another one: a grant came for nobody
         * and has to go back. The store is closed only after this thread is done.
         */
        private void finishHere(Job<?> job, RejectedExecutionException closing) {
            if (Thread.currentThread() instanceof PoolThread mine && mine.isOf(Machinery.this)) {
                job.run();
            } else {
                job.fail(closing);
            }
        }

        @Override
        public void finish() {
            end(renewals);
            end(calls);
        }
    }

    /**
     * One call to the store.
     *
     * @param <R> the kind of answer
     */
    private record Job<R>(Machinery machinery, Function<LockStore, R> call, StoreCalls.Reply<R> reply)
            implements Runnable {
        @Override
        public void run() {
            long sent = machinery.clock().nanos();
            R result = null;
            Throwable failure = null;
            try {
                result = call.apply(machinery.store.get());
            } catch (RuntimeException | Error unanswered) {
                failure = unanswered;
            }
            reply.on(sent, result, failure);
        }

        void fail(Throwable cause) {
            reply.on(machinery.clock().nanos(), null, new StoreUnavailableException("call", machinery.name, cause));
        }
    }
}
