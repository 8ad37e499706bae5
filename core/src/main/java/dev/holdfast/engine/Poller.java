package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks again for waiting claims, all that are due in one request, one request at a time per client. Thread-safe. */
final class Poller extends Timed {
    private static final int MOST_PER_REQUEST = 1_000;

    private final Surroundings surroundings;

    /** Claims to ask for, each marked as being asked; guarded by this object's monitor. */
    private final List<Contender> due = new ArrayList<>();

    private boolean asking;

    Poller(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    void add(Contender waiting, long now) {
        synchronized (this) {
            due.add(waiting);
            if (asking || due.size() > 1) {
                return;
            }
        }
        surroundings.timeline().schedule(this, now);
    }

    @Override
    public void onDue() {
        List<Contender> batch;
        synchronized (this) {
            if (asking || due.isEmpty()) {
                return;
            }
            asking = true;
            List<Contender> first = due.subList(0, Math.min(due.size(), MOST_PER_REQUEST));
            batch = List.copyOf(first);
            first.clear();
        }
        List<Claim> claims = batch.stream().map(waiting -> waiting.claim).toList();
        surroundings
                .calls()
                .submit(
                        StoreCalls.Lane.ORDINARY,
                        store -> store.poll(claims),
                        (sentNanos, outcomes, failure) -> settle(batch, sentNanos, outcomes, failure));
    }

    private void settle(
            List<Contender> batch,
            long sentNanos,
            @Nullable List<AcquireOutcome> outcomes,
            @Nullable Throwable failure) {
        synchronized (this) {
            asking = false;
        }
        boolean complete = outcomes != null && outcomes.size() == batch.size();
        for (int i = 0; i < batch.size(); i++) {
            Contender waiting = batch.get(i);
            AcquireOutcome outcome = complete && outcomes != null ? outcomes.get(i) : null;
            waiting.gate.contest().answered(waiting, sentNanos, outcome, failure);
        }
        onDue();
    }
}
