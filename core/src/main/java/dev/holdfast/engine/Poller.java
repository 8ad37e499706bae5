package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.LockStore;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks again for waiting claims, all that are due in one request. Usually one request is under way, and the next is
 * collected meanwhile. Claims that were not answered the last time have requests of their own. Thread-safe.
 */
final class Poller implements Batches.Request<Contender, AcquireOutcome> {
    private static final int MOST_AT_ONCE = 48;
    private static final int MOST_REPEATS_AT_ONCE = 4;

    private final Batches<Contender, AcquireOutcome> firstTries;
    private final Batches<Contender, AcquireOutcome> repeats;

    Poller(Engine engine) {
        this.firstTries = new Batches<>(engine, StoreCalls.Lane.ORDINARY, this, 1, MOST_AT_ONCE, new LinkedHashSet<>());
        this.repeats =
                new Batches<>(engine, StoreCalls.Lane.ORDINARY, this, 1, MOST_REPEATS_AT_ONCE, new LinkedHashSet<>());
    }

    /** Adds a claim to the next request. */
    void add(Contender asked, long now) {
        (asked.lastRequestFailed() ? repeats : firstTries).addSoon(asked, now);
    }

    /** Takes a claim back that was added; false if it is being asked for already. */
    boolean remove(Contender asked) {
        return firstTries.remove(asked) || repeats.remove(asked);
    }

    @Override
    public List<AcquireOutcome> ask(LockStore store, List<Contender> batch) {
        return store.poll(batch.stream().map(asked -> asked.claim).toList());
    }

    /** Nothing is left to be called afterwards: only direct attempts lead to that, and they are not polled. */
    @Override
    public void take(
            Contender asked, long sentNanos, @Nullable List<AcquireOutcome> outcomes, @Nullable Throwable failure) {
        Throwable why = outcomes != null || failure != null
                ? failure
                : new IllegalStateException("the store did not answer for each claim");
        asked.gate.answered(asked, sentNanos, outcomes == null ? null : outcomes.get(0), why);
    }
}
