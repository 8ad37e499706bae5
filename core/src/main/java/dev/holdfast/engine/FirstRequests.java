package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets waiters in at their gates and makes the first requests of claims: on the caller's thread, or in the background.
 * Later requests are the {@link Poller}'s. Thread-safe.
 */
final class FirstRequests {
    /** How long after its deadline a wait may make its first request, where idle grants had to go back before: see P17. */
    static final long ASKING_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Engine engine;

    FirstRequests(Engine engine) {
        this.engine = engine;
    }

    /** Lets a waiter in, and makes the first calls of its claim on this thread. */
    void sendHere(Waiter waiter) {
        Contender next = enter(waiter);
        // Earlier than the request was sent, which is the safe side, and saves a look at the clock.
        long sent = waiter.startedNanos;
        while (next != null) {
            AcquireOutcome outcome = null;
            Throwable failure = null;
            try {
                outcome = next.ask(engine.store());
            } catch (Throwable unanswered) {
                failure = unanswered;
            }
            next = next.gate.answered(next, sent, outcome, failure);
            if (next != null) {
                sent = engine.now();
            }
        }
    }

    /** Lets a waiter in; returns a claim whose first call the caller has to make, or null. */
    @Nullable
    Contender enter(Waiter waiter) {
        waiter.drawOwner();
        Contender first;
        Gate gate;
        do {
            gate = engine.gates.of(waiter.terms);
            first = gate.enter(waiter);
        } while (!waiter.isAt(gate));
        if (first != null) {
            first.askBefore(
                    waiter.deadlineNanos == Long.MAX_VALUE
                            ? waiter.deadlineNanos
                            : waiter.deadlineNanos + ASKING_SLACK_NANOS);
            endIdleGrantsOfSameNames(first);
        }
        return first;
    }

    /** An idle grant of the same name that is kept at another gate must not stand in the way. */
    private void endIdleGrantsOfSameNames(Contender first) {
        if (first.terms.isPlainLock() && !engine.gates.hasWriters()) {
            return;
        }
        for (Claim.Part part : first.terms.parts) {
            engine.gates.forEachPassing(part.name(), rival -> {
                HeldGrant idle = rival == first.gate ? null : rival.yieldIdle();
                if (idle != null) {
                    first.addIdle(idle);
                }
            });
        }
    }

    /** Idle grants must not wait to go back behind attempts that hang: others may want them. */
    void sendInBackground(Contender contender) {
        if (!contender.hasIdleToReturn()) {
            askInBackground(contender);
            return;
        }
        engine.calls.submit(
                StoreCalls.Lane.CLEANUP,
                contender::isNeeded,
                store -> {
                    contender.returnIdle(store);
                    return true;
                },
                (sent, returned, failure) -> {
                    if (returned != null) {
                        askInBackground(contender);
                    } else {
                        answeredInBackground(contender, sent, null, failure);
                    }
                });
    }

    private void askInBackground(Contender contender) {
        engine.calls.submit(
                StoreCalls.Lane.ORDINARY,
                contender::isNeeded,
                contender::ask,
                (sent, outcome, failure) -> answeredInBackground(contender, sent, outcome, failure));
    }

    private void answeredInBackground(
            Contender contender, long sent, @Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
        Contender next = contender.gate.answered(contender, sent, outcome, failure);
        if (next != null) {
            sendInBackground(next);
        }
    }
}
