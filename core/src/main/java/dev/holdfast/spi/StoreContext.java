package dev.holdfast.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the engine lends to a store. Immutable, and everything in it is thread-safe. What later releases add has a default
 * and a {@code with…} method, so that the constructor stays as it is.
 */
public final class StoreContext {
    private final String clientName;
    private final MonotonicClock clock;
    private final StoreScheduler scheduler;
    private final Executor ioExecutor;
    private final Duration commandTimeout;
    private final RandomGenerator random;
    private final StoreListener listener;
    private final boolean stayAwake;

    /**
     * Makes a context whose threads stay awake for near answers.
     *
     * @param clientName the client's name
     * @param clock the only clock for intervals
     * @param scheduler for things to do later
     * @param ioExecutor for work that may block
     * @param commandTimeout the longest that one call to the server may take
     * @param random for jitter; not for secrets
     * @param listener whom to tell of what happens in the store
     */
    public StoreContext(
            String clientName,
            MonotonicClock clock,
            StoreScheduler scheduler,
            Executor ioExecutor,
            Duration commandTimeout,
            RandomGenerator random,
            StoreListener listener) {
        this(clientName, clock, scheduler, ioExecutor, commandTimeout, random, listener, true);
    }

    private StoreContext(
            String clientName,
            MonotonicClock clock,
            StoreScheduler scheduler,
            Executor ioExecutor,
            Duration commandTimeout,
            RandomGenerator random,
            StoreListener listener,
            boolean stayAwake) {
        this.clientName = Objects.requireNonNull(clientName, "clientName");
        this.clock = Objects.requireNonNull(clock, "clock");
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
        this.ioExecutor = Objects.requireNonNull(ioExecutor, "ioExecutor");
        this.commandTimeout = Objects.requireNonNull(commandTimeout, "commandTimeout");
        this.random = Objects.requireNonNull(random, "random");
        this.listener = Objects.requireNonNull(listener, "listener");
        this.stayAwake = stayAwake;
    }

    /**
     * Changes whom the store tells of what happens.
     *
     * @param other the listener
     * @return the changed copy
     */
    public StoreContext withListener(StoreListener other) {
        return new StoreContext(clientName, clock, scheduler, ioExecutor, commandTimeout, random, other, stayAwake);
    }

    /**
     * Chooses whether threads stay awake for a few microseconds when an answer may be near.
     *
     * @param awake false to sleep at once
     * @return the changed copy
     */
    public StoreContext withStayAwake(boolean awake) {
        return new StoreContext(clientName, clock, scheduler, ioExecutor, commandTimeout, random, listener, awake);
    }

    /** {@return the client's name} */
    public String clientName() {
        return clientName;
    }

    /** {@return the only clock for intervals} */
    public MonotonicClock clock() {
        return clock;
    }

    /** {@return for things to do later} */
    public StoreScheduler scheduler() {
        return scheduler;
    }

    /**
     * Runs work that may block, on up to 64 threads of its own: a call to the store may wait for tasks that it gave to
     * it, but those tasks not for further ones.
     *
     * @return the executor
     */
    public Executor ioExecutor() {
        return ioExecutor;
    }

    /** {@return the longest that one call to the server may take} */
    public Duration commandTimeout() {
        return commandTimeout;
    }

    /** {@return for jitter; not for secrets} */
    public RandomGenerator random() {
        return random;
    }

    /** {@return whom to tell of what happens in the store} */
    public StoreListener listener() {
        return listener;
    }

    /** {@return a way to wait for something near, which does not stay awake if the user does not want that} */
    public ShortWait newShortWait() {
        return new ShortWait(stayAwake);
    }
}
