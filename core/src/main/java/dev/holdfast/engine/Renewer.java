package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.RenewOutcome;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renews what is due, many grants in one request. What was not answered is asked for again apart from the rest. There is
 * one per client. Thread-safe.
 */
final class Renewer implements Batches.Request<HeldGrant, RenewOutcome> {
    private static final int USUAL_AT_ONCE = 4;
    private static final int MOST_AT_ONCE = 48;

    private final Batches<HeldGrant, RenewOutcome> firstTries;
    private final Batches<HeldGrant, RenewOutcome> repeats;

    Renewer(Engine engine) {
        this.firstTries = new Batches<>(
                engine, StoreCalls.Lane.RENEWALS, this, USUAL_AT_ONCE, MOST_AT_ONCE, new LinkedHashSet<>());
        this.repeats = new Batches<>(
                engine, StoreCalls.Lane.RENEWALS, this, USUAL_AT_ONCE, USUAL_AT_ONCE, new LinkedHashSet<>());
    }

    /** Adds a grant to the next request, which is sent when everything that is due now has been added. */
    void add(HeldGrant held, boolean again, long now) {
        (again ? repeats : firstTries).addSoon(held, now);
    }

    @Override
    public boolean isNeeded(HeldGrant held) {
        return held.mayRenew();
    }

    @Override
    public List<RenewOutcome> ask(LockStore store, List<HeldGrant> batch) {
        return store.renew(batch.stream().flatMap(held -> held.grants.stream()).toList());
    }

    @Override
    public int answersTo(HeldGrant held) {
        return held.grants.size();
    }

    @Override
    public void take(
            HeldGrant held, long sentNanos, @Nullable List<RenewOutcome> outcomes, @Nullable Throwable failure) {
        held.renewed(sentNanos, outcomes != null ? outcomes : List.of(unknown(held, failure)));
    }

    private static RenewOutcome unknown(HeldGrant held, @Nullable Throwable failure) {
        return new RenewOutcome.Unknown(
                failure instanceof RuntimeException fault
                        ? fault
                        : new StoreUnavailableException("renew", held.terms.describe(), failure));
    }
}
