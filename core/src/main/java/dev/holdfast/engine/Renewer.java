package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renews what is due, many grants in one request. What was not answered is asked for again apart from the rest, in few
 * requests at a time: one silent server must not keep the threads busy that others need. There is one per client.
 * Thread-safe.
 */
final class Renewer extends Timed {
    private static final int MOST_PER_REQUEST = 1_000;

    /** At most half of the threads that renew. */
    private static final int MOST_REPEATS_AT_ONCE = 4;

    private final Engine engine;

    /** Grants whose renewal is due; guarded by this object's monitor, as are the next two. */
    private List<HeldGrant> due = new ArrayList<>();

    /** Grants whose last renewal was not answered, and that are due again. */
    private final List<HeldGrant> dueAgain = new ArrayList<>();

    private int repeatsUnderWay;

    Renewer(Engine engine) {
        this.engine = engine;
    }

    /** Adds a grant to the next request, which is sent when everything that is due now has been added. */
    void add(HeldGrant held, boolean again, long now) {
        synchronized (this) {
            List<HeldGrant> others = again ? dueAgain : due;
            others.add(held);
            if (others.size() > 1) {
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
        List<HeldGrant> stillHeld = stillHeld(batch);
        for (int from = 0; from < stillHeld.size(); from += MOST_PER_REQUEST) {
            renew(stillHeld.subList(from, Math.min(stillHeld.size(), from + MOST_PER_REQUEST)), () -> {});
        }
        for (List<HeldGrant> again = nextRepeats(); !again.isEmpty(); again = nextRepeats()) {
            List<HeldGrant> repeats = stillHeld(again);
            if (repeats.isEmpty()) {
                repeatEnded();
            } else {
                renew(repeats, this::repeatEnded);
            }
        }
    }

    private static List<HeldGrant> stillHeld(List<HeldGrant> grants) {
        return grants.stream().filter(HeldGrant::mayRenew).toList();
    }

    /** Those that share the next repeated request; none if too many requests are under way. */
    private synchronized List<HeldGrant> nextRepeats() {
        if (dueAgain.isEmpty() || repeatsUnderWay == MOST_REPEATS_AT_ONCE) {
            return List.of();
        }
        repeatsUnderWay++;
        List<HeldGrant> first = dueAgain.subList(0, Math.min(dueAgain.size(), MOST_PER_REQUEST));
        List<HeldGrant> batch = List.copyOf(first);
        first.clear();
        return batch;
    }

    private void repeatEnded() {
        synchronized (this) {
            repeatsUnderWay--;
            if (dueAgain.isEmpty()) {
                return;
            }
        }
        engine.timeline.schedule(this, engine.now());
    }

    private void renew(List<HeldGrant> batch, Runnable afterwards) {
        List<Grant> grants =
                batch.stream().flatMap(held -> held.grants.stream()).toList();
        engine.calls.submit(StoreCalls.Lane.RENEWALS, store -> store.renew(grants), (sentNanos, outcomes, failure) -> {
            afterwards.run();
            Answers.divide(
                    batch,
                    held -> held.grants.size(),
                    outcomes,
                    (held, own) -> held.renewed(sentNanos, own != null ? own : List.of(unknown(held, failure))));
        });
    }

    private static RenewOutcome unknown(HeldGrant held, @Nullable Throwable failure) {
        return new RenewOutcome.Unknown(
                failure instanceof RuntimeException fault
                        ? fault
                        : new StoreUnavailableException("renew", held.terms.describe(), failure));
    }
}
