package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks again for waiting claims, all that are due in one request. Usually one request is under way, and the next is
 * collected meanwhile. If it hangs, another is sent after 50 ms, up to four. Thread-safe.
 */
final class Poller extends Timed {
    private static final int MOST_PER_REQUEST = 1_000;
    private static final int MOST_AT_ONCE = 4;
    private static final long LONGEST_COLLECTION_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Engine engine;

    /** Claims to ask for, each marked as being asked; guarded by this object's monitor, as are the next two. */
    private final List<Contender> due = new ArrayList<>();

    private int underWay;
    private long lastSentNanos;

    Poller(Engine engine) {
        this.engine = engine;
    }

    void add(Contender waiting, long now) {
        synchronized (this) {
            due.add(waiting);
            if (due.size() == 1) {
                plan(now);
            }
        }
    }

    /** Called with the monitor held, when there is something to ask. */
    private void plan(long now) {
        if (underWay == 0) {
            engine.timeline.schedule(this, now);
        } else if (underWay < MOST_AT_ONCE) {
            engine.timeline.schedule(this, Math.max(now, lastSentNanos + LONGEST_COLLECTION_NANOS));
        }
    }

    @Override
    public void onDue() {
        List<Contender> batch;
        synchronized (this) {
            if (due.isEmpty() || underWay == MOST_AT_ONCE) {
                return;
            }
            underWay++;
            lastSentNanos = engine.now();
            List<Contender> first = due.subList(0, Math.min(due.size(), MOST_PER_REQUEST));
            batch = List.copyOf(first);
            first.clear();
            if (!due.isEmpty()) {
                plan(lastSentNanos);
            }
        }
        List<Claim> claims = batch.stream().map(waiting -> waiting.claim).toList();
        engine.calls.submit(
                StoreCalls.Lane.ORDINARY,
                store -> store.poll(claims),
                (sentNanos, outcomes, failure) -> takeAnswers(batch, sentNanos, outcomes, failure));
    }

    private void takeAnswers(
            List<Contender> batch,
            long sentNanos,
            @Nullable List<AcquireOutcome> outcomes,
            @Nullable Throwable failure) {
        synchronized (this) {
            underWay--;
        }
        Throwable why = failure != null
                ? failure
                : new IllegalStateException("the store did not answer for each of " + batch.size() + " claims");
        try {
            Answers.divide(batch, waiting -> 1, outcomes, (waiting, own) -> take(waiting, sentNanos, own, why));
        } finally {
            synchronized (this) {
                if (!due.isEmpty()) {
                    plan(engine.now());
                }
            }
        }
    }

    /** Nothing is left to be called afterwards: only direct attempts lead to that, and they are not polled. */
    private static void take(Contender waiting, long sentNanos, @Nullable List<AcquireOutcome> own, Throwable failure) {
        AcquireOutcome outcome = own == null ? null : own.get(0);
        waiting.gate.answered(waiting, sentNanos, outcome, outcome == null ? failure : null);
    }
}
