package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Renews what is due, many leases in one request. There is one per client. Thread-safe. */
final class Renewer extends Timed {
    private static final int MOST_PER_REQUEST = 1_000;

    private final Surroundings surroundings;

    /** Tenures whose renewal is due; guarded by this object's monitor. */
    private List<Tenure> due = new ArrayList<>();

    Renewer(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Adds a tenure to the next request, which is sent when everything that is due now has been added. */
    void add(Tenure tenure, long now) {
        synchronized (this) {
            due.add(tenure);
            if (due.size() > 1) {
                return;
            }
        }
        surroundings.timeline().schedule(this, now);
    }

    @Override
    public void onDue() {
        List<Tenure> batch;
        synchronized (this) {
            batch = due;
            due = new ArrayList<>();
        }
        List<Tenure> wanted = batch.stream()
                .filter(tenure -> tenure.gate.tenancy().mayRenew(tenure))
                .toList();
        for (int from = 0; from < wanted.size(); from += MOST_PER_REQUEST) {
            renew(wanted.subList(from, Math.min(wanted.size(), from + MOST_PER_REQUEST)));
        }
    }

    private void renew(List<Tenure> tenures) {
        List<Grant> grants =
                tenures.stream().flatMap(tenure -> tenure.grants.stream()).toList();
        surroundings
                .calls()
                .submit(
                        StoreCalls.Lane.RENEWALS,
                        store -> store.renew(grants),
                        (sentNanos, outcomes, failure) -> settle(tenures, sentNanos, outcomes, failure));
    }

    private static void settle(
            List<Tenure> tenures, long sentNanos, @Nullable List<RenewOutcome> outcomes, @Nullable Throwable failure) {
        int asked = tenures.stream().mapToInt(tenure -> tenure.grants.size()).sum();
        boolean complete = outcomes != null && outcomes.size() == asked;
        int next = 0;
        for (Tenure tenure : tenures) {
            int count = tenure.grants.size();
            List<RenewOutcome> own = complete && outcomes != null
                    ? outcomes.subList(next, next + count)
                    : List.of(unknown(tenure, failure));
            next += count;
            tenure.gate.tenancy().renewed(tenure, sentNanos, own);
        }
    }

    private static RenewOutcome unknown(Tenure tenure, @Nullable Throwable failure) {
        return new RenewOutcome.Unknown(
                failure instanceof RuntimeException fault
                        ? fault
                        : new StoreUnavailableException("renew", tenure.terms.describe(), failure));
    }
}
