package dev.holdfast.engine.client;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.StoreCalls;
import dev.holdfast.engine.Surroundings;
import dev.holdfast.engine.Timed;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.StoreScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a real client: one for time, and pools for calls to the store, for renewals, for cleaning up, for the
 * store's own tasks, for user code, and for what must not wait for user code. What may hang in one pool does not hold up
 * another. Threads are started when needed, end when idle (but the one for time), and end with the client. Thread-safe.
 */
public final class ClientThreads implements AutoCloseable {
    private static final int CALL_THREADS = 256;
    private static final int RENEWAL_THREADS = 64;

    /** As many as there are requests at most, of all kinds: none of them waits for a thread behind those that hang. */
    private static final int CLEANUP_THREADS = 384;

    private static final int STORE_THREADS = 64;
    private static final int GUARD_THREADS = 4;
    private static final int CALLBACK_THREADS = 64;
    private static final int LOSS_THREADS = 256;
    private static final int SIGNAL_THREADS = 64;

    /** The shortest wait for a pool or the store to end, even when the time for closing is over. */
    private static final long LEAST_GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LOOK_NANOS = 200_000;

    private final String name;
    private final Duration commandTimeout;
    private final boolean staysAwake;
    private final TimerThread timer;
    private final WorkerPool calls;
    private final WorkerPool renewals;
    private final WorkerPool cleanups;
    private final WorkerPool storeTasks;
    private final WorkerPool storeGuards;
    private final WorkerPool ownCallbacks;
    private final WorkerPool ownLossCallbacks;
    private final WorkerPool signals;
    private final @Nullable Executor userCallbacks;
    private final Supplier<LockStore> store;

    /** When closing has to be over; written by the thread that closes the client. */
    private volatile long closedByNanos = Long.MAX_VALUE;

    /**
     * Sets up the threads; none is started yet.
     *
     * @param name what their names begin with
     * @param commandTimeout the longest that one call to the store may take
     * @param staysAwake whether threads may stay awake for a moment instead of falling asleep
     * @param store the store to call, known by the time of the first call
     * @param callbacks where user code runs, or null for threads of our own
     */
    public ClientThreads(
            String name,
            Duration commandTimeout,
            boolean staysAwake,
            Supplier<LockStore> store,
            @Nullable Executor callbacks) {
        this.name = name;
        this.commandTimeout = commandTimeout;
        this.staysAwake = staysAwake;
        this.store = store;
        this.timer = new TimerThread(clock(), name + "-time");
        this.calls = new WorkerPool(name + "-store", CALL_THREADS, timer);
        this.renewals = new WorkerPool(name + "-renewal", RENEWAL_THREADS, timer);
        this.cleanups = new WorkerPool(name + "-cleanup", CLEANUP_THREADS, timer);
        this.storeTasks = new WorkerPool(name + "-io", STORE_THREADS, timer);
        this.storeGuards = new WorkerPool(name + "-guard", GUARD_THREADS, timer);
        this.ownCallbacks = new WorkerPool(name + "-callback", CALLBACK_THREADS, timer);
        this.ownLossCallbacks = new WorkerPool(name + "-loss", LOSS_THREADS, timer);
        this.signals = new WorkerPool(name + "-signal", SIGNAL_THREADS, timer);
        this.userCallbacks = callbacks;
    }

    /** What an engine needs of these threads. */
    public Surroundings surroundings() {
        RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
        return new Surroundings(
                clock(),
                timer,
                new Calls(),
                task -> callBack(ownCallbacks, task),
                task -> callBack(ownLossCallbacks, task),
                signals::executeAnyhow,
                random,
                new OwnerMint(),
                commandTimeout,
                staysAwake);
    }

    MonotonicClock clock() {
        return SystemClock.INSTANCE;
    }

    /** For stores: threads apart from those that call the store, so that a call may wait for its own tasks. */
    public Executor storeExecutor() {
        return storeTasks;
    }

    /** For stores: runs things later. */
    public StoreScheduler storeScheduler() {
        return new StoreScheduler() {
            @Override
            public Runnable schedule(Duration delay, Runnable task) {
                return later(delay, storeTasks, task);
            }

            @Override
            public Runnable scheduleGuard(Duration delay, Runnable task) {
                return later(delay, storeGuards, task);
            }
        };
    }

    private Runnable later(Duration delay, WorkerPool pool, Runnable task) {
        Timed timed = new Timed() {
            @Override
            public void onDue() {
                pool.execute(task);
            }
        };
        timer.schedule(timed, clock().nanos() + delay.toNanos());
        return () -> timer.cancel(timed);
    }

    /** Ends all threads; waits for them until closing has to be over, but for none that closes the client itself. */
    @Override
    public void close() {
        timer.close();
        long now = clock().nanos();
        // One last moment for all pools together.
        long until = Math.max(Math.min(closedByNanos, now + commandTimeout.toNanos()), now + LEAST_GOODBYE_NANOS);
        List<WorkerPool> pools =
                List.of(calls, renewals, cleanups, storeTasks, storeGuards, ownCallbacks, ownLossCallbacks, signals);
        pools.forEach(WorkerPool::shutdown);
        pools.forEach(pool -> pool.end(until));
    }

    static long leftOf(long untilNanos) {
        return Math.max(0, untilNanos - SystemClock.INSTANCE.nanos());
    }

    /** Waits for a thread to end, unless it is this one. */
    static void join(@Nullable Thread thread, long nanos) {
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (InterruptedException hurried) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Runs user code. Whatever executor the user has given, it is called from a thread for user code: one that runs
     * tasks on the calling thread must not run them on a thread of the store, or on the one for time.
     */
    private void callBack(WorkerPool own, Runnable task) {
        Executor users = userCallbacks;
        own.executeAnyhow(users == null ? task : () -> callBackThere(users, task));
    }

    /** What the user's executor refuses, in whatever way, is run here; nothing is run twice. */
    private static void callBackThere(Executor users, Runnable task) {
        AtomicBoolean begun = new AtomicBoolean();
        Runnable once = () -> {
            if (begun.compareAndSet(false, true)) {
                task.run();
            }
        };
        try {
            users.execute(once);
        } catch (Throwable refused) {
            once.run();
        }
    }

    /** Makes calls to the store. */
    private final class Calls implements StoreCalls {
        @Override
        public <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
            Job<R> job = new Job<>(ClientThreads.this, stillNeeded, call, reply);
            try {
                poolOf(lane).execute(job);
            } catch (RuntimeException | Error refused) {
                job.drop(refused);
            }
        }

        private WorkerPool poolOf(Lane lane) {
            return switch (lane) {
                case ORDINARY -> calls;
                case RENEWALS -> renewals;
                case CLEANUP -> cleanups;
            };
        }

        @Override
        public void finish(BooleanSupplier isDone, long untilNanos) {
            closedByNanos = untilNanos;
            boolean interrupted = Thread.interrupted();
            while (!isDone.getAsBoolean() && clock().nanos() < untilNanos) {
                LockSupport.parkNanos(this, LOOK_NANOS);
                interrupted |= Thread.interrupted();
            }
            calls.shutdown();
            renewals.shutdown();
            cleanups.shutdown();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** On a thread of its own, because a store may wait for its server when it closes. */
        @Override
        public void close(LockStore opened, long untilNanos) {
            AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
            Thread closer = new Thread(
                    () -> {
                        try {
                            opened.close();
                        } catch (RuntimeException broken) {
                            failure.set(broken);
                        }
                    },
                    name + "-closing");
            closer.setDaemon(true);
            closer.start();
            join(closer, Math.max(LEAST_GOODBYE_NANOS, leftOf(untilNanos)));
            RuntimeException broken = failure.get();
            if (broken != null) {
                throw broken;
            }
        }
    }

    /**
     * One call to the store.
     *
     * @param <R> the kind of answer
     */
    private record Job<R>(
            ClientThreads threads, BooleanSupplier stillNeeded, Function<LockStore, R> call, StoreCalls.Reply<R> reply)
            implements WorkerPool.Call {
        @Override
        public void run() {
            long sent = threads.clock().nanos();
            R result = null;
            Throwable failure = null;
            try {
                if (stillNeeded.getAsBoolean()) {
                    result = call.apply(threads.store.get());
                }
            } catch (Throwable unanswered) {
                failure = unanswered;
            }
            reply.on(sent, result, failure);
        }

        @Override
        public void drop(Throwable cause) {
            reply.on(threads.clock().nanos(), null, new StoreUnavailableException("call", threads.name, cause));
        }
    }
}
