package dev.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the engine lends to a store. Everything in it is thread-safe.
 *
 * @param clientName the client's name
 * @param clock the only clock for intervals
 * @param scheduler for things to do later
 * @param ioExecutor for work that may block, on up to eight threads of its own: a call to the store may wait for tasks
 *     it gave to it, but those tasks not for further ones
 * @param commandTimeout the longest that one call to the server may take
 * @param random for jitter; not for secrets
 * @param listener whom to tell of what happens in the store
 */
public record StoreContext(
        String clientName,
        MonotonicClock clock,
        StoreScheduler scheduler,
        Executor ioExecutor,
        Duration commandTimeout,
        RandomGenerator random,
        StoreListener listener) {}
