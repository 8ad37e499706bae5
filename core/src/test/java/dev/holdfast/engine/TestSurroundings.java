package dev.holdfast.engine;

import dev.holdfast.engine.client.OwnerMint;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executor;

/** The only place in the tests of whole clients that knows what {@link Surroundings} are made of. */
public final class TestSurroundings {
    private TestSurroundings() {}

    public static Surroundings of(MonotonicClock clock, Timeline timeline, StoreCalls calls, Executor callbacks) {
        return new Surroundings(
                clock,
                timeline,
                calls,
                callbacks,
                callbacks,
                callbacks,
                new Random(1),
                new OwnerMint(),
                Duration.ofSeconds(2),
                true);
    }
}
