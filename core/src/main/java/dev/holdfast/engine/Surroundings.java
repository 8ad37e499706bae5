package dev.holdfast.engine;

import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Everything that the engine takes from outside, so that it can run on virtual time.
 *
 * @param clock the only clock
 * @param timeline where things wait for their time
 * @param calls how the store is called in the background
 * @param callbacks where user code runs
 * @param lossCallbacks where user code runs that is told of a loss, which must not wait for other user code
 * @param signals where things are told that must not wait for user code: interrupts, the steps of elections
 * @param random for jitter
 * @param owners mints owner ids
 * @param commandTimeout the longest that one call to the store may take
 * @param staysAwake whether threads may stay awake for a moment instead of falling asleep
 */
public record Surroundings(
        MonotonicClock clock,
        Timeline timeline,
        StoreCalls calls,
        Executor callbacks,
        Executor lossCallbacks,
        Executor signals,
        RandomGenerator random,
        Supplier<OwnerId> owners,
        Duration commandTimeout,
        boolean staysAwake) {}
