package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Renews what is due, many grants in one request. There is one per client. Thread-safe. */
final class Renewer extends Timed {
    private static final int MOST_PER_REQUEST = 1_000;

    private final Engine engine;

    /** Grants whose renewal is due; guarded by this object's monitor. */
    private List<HeldGrant> due = new ArrayList<>();

    Renewer(Engine engine) {
        this.engine = engine;
    }

    /** Adds a grant to the next request, which is sent when everything that is due now has been added. */
    void add(HeldGrant held, long now) {
        synchronized (this) {
            due.add(held);
            if (due.size() > 1) {
                return;
            }
        }
        engine.timeline.schedule(this, now);
    }

    @Override
    public void onDue() {
        List<HeldGrant> batch;
        synchronized (this) {
            batch = due;
            due = new ArrayList<>();
        }
        List<HeldGrant> stillHeld = batch.stream().filter(HeldGrant::mayRenew).toList();
        for (int from = 0; from < stillHeld.size(); from += MOST_PER_REQUEST) {
            renew(stillHeld.subList(from, Math.min(stillHeld.size(), from + MOST_PER_REQUEST)));
        }
    }

    private void renew(List<HeldGrant> batch) {
        List<Grant> grants =
                batch.stream().flatMap(held -> held.grants.stream()).toList();
        engine.calls.submit(
                StoreCalls.Lane.RENEWALS,
                store -> store.renew(grants),
                (sentNanos, outcomes, failure) -> Answers.divide(
                        batch,
                        held -> held.grants.size(),
                        outcomes,
                        (held, own) -> held.renewed(sentNanos, own != null ? own : List.of(unknown(held, failure)))));
    }

    private static RenewOutcome unknown(HeldGrant held, @Nullable Throwable failure) {
        return new RenewOutcome.Unknown(
                failure instanceof RuntimeException fault
                        ? fault
                        : new StoreUnavailableException("renew", held.terms.describe(), failure));
    }
}
