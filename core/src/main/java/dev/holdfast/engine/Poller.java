package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks again for waiting claims, all that are due in one request. Usually one request is under way, and the next is
 * collected meanwhile. Claims that were not answered the last time have requests of their own. Thread-safe.
 */
final class Poller {
    private static final int MOST_PER_REQUEST = 1_000;
    private static final int MOST_AT_ONCE = 48;
    private static final int MOST_REPEATS_AT_ONCE = 4;

    private final Engine engine;
    private final Batches<Contender> firstTries;
    private final Batches<Contender> repeats;

    Poller(Engine engine) {
        this.engine = engine;
        this.firstTries =
                new Batches<>(engine, 1, MOST_AT_ONCE, any -> MOST_PER_REQUEST, new LinkedHashSet<>(), this::send);
        this.repeats = new Batches<>(
                engine, 1, MOST_REPEATS_AT_ONCE, any -> MOST_PER_REQUEST, new LinkedHashSet<>(), this::send);
    }

    /** Adds a claim that is marked as being asked to the next request. */
    void add(Contender asked, long now) {
        (asked.lastRequestFailed() ? repeats : firstTries).addSoon(asked, now);
    }

    /** Takes a claim back that was added; false if it is being asked for already. */
    boolean remove(Contender asked) {
        return firstTries.remove(asked) || repeats.remove(asked);
    }

    private void send(List<Contender> batch, Runnable ended) {
        List<Claim> claims = batch.stream().map(asked -> asked.claim).toList();
        engine.calls.submit(StoreCalls.Lane.ORDINARY, store -> store.poll(claims), (sentNanos, outcomes, failure) -> {
            ended.run();
            takeAnswers(batch, sentNanos, outcomes, failure);
        });
    }

    /** Nothing is left to be called afterwards: only direct attempts lead to that, and they are not polled. */
    private static void takeAnswers(
            List<Contender> batch,
            long sentNanos,
            @Nullable List<AcquireOutcome> outcomes,
            @Nullable Throwable failure) {
        Throwable why = failure != null
                ? failure
                : new IllegalStateException("the store did not answer for each of " + batch.size() + " claims");
        Answers.divide(batch, asked -> 1, outcomes, (asked, own) -> {
            AcquireOutcome outcome = own == null ? null : own.get(0);
            asked.gate.answered(asked, sentNanos, outcome, outcome == null ? why : null);
        });
    }
}
