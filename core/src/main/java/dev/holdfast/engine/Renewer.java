package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renews what is due, many grants in one request. What was not answered is asked for again apart from the rest. There is
 * one per client. Thread-safe.
 */
final class Renewer {
    private static final int MOST_PER_REQUEST = 1_000;
    private static final int USUAL_AT_ONCE = 4;
    private static final int MOST_AT_ONCE = 48;
    private static final int MOST_REPEATS_AT_ONCE = 4;

    private final Engine engine;
    private final Batches<HeldGrant> firstTries;
    private final Batches<HeldGrant> repeats;

    Renewer(Engine engine) {
        this.engine = engine;
        this.firstTries = new Batches<>(
                engine, USUAL_AT_ONCE, MOST_AT_ONCE, any -> MOST_PER_REQUEST, new LinkedHashSet<>(), this::send);
        this.repeats = new Batches<>(
                engine,
                MOST_REPEATS_AT_ONCE,
                MOST_REPEATS_AT_ONCE,
                any -> MOST_PER_REQUEST,
                new LinkedHashSet<>(),
                this::send);
    }

    /** Adds a grant to the next request, which is sent when everything that is due now has been added. */
    void add(HeldGrant held, boolean again, long now) {
        (again ? repeats : firstTries).addSoon(held, now);
    }

    private void send(List<HeldGrant> batch, Runnable ended) {
        List<HeldGrant> held = batch.stream().filter(HeldGrant::mayRenew).toList();
        if (held.isEmpty()) {
            ended.run();
            return;
        }
        List<Grant> grants = held.stream().flatMap(each -> each.grants.stream()).toList();
        engine.calls.submit(StoreCalls.Lane.RENEWALS, store -> store.renew(grants), (sentNanos, outcomes, failure) -> {
            ended.run();
            Answers.divide(
                    held,
                    each -> each.grants.size(),
                    outcomes,
                    (each, own) -> each.renewed(sentNanos, own != null ? own : List.of(unknown(each, failure))));
        });
    }

    private static RenewOutcome unknown(HeldGrant held, @Nullable Throwable failure) {
        return new RenewOutcome.Unknown(
                failure instanceof RuntimeException fault
                        ? fault
                        : new StoreUnavailableException("renew", held.terms.describe(), failure));
    }
}
