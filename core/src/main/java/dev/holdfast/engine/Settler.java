package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives back to the store what is no longer needed, and does not let go until the store has answered or would have
 * forgotten it anyway. Thread-safe.
 */
final class Settler {
    /** Beyond the lease, a store has forgotten a grant; a tombstone may be wanted for a while longer. */
    private static final long LONGEST_EXTRA_NANOS = Duration.ofMinutes(2).toNanos();

    private final Engine engine;

    /** What gates have decided to give back and threads have not brought on its way yet. */
    private final AtomicInteger owed = new AtomicInteger();

    Settler(Engine engine) {
        this.engine = engine;
    }

    /** Whether everything that gates have decided to give back is on its way. */
    boolean owesNothing() {
        return owed.get() == 0;
    }

    /** Counts something that its gate has let go of, until it is {@link #paid}; called with the gate's monitor held. */
    void owe() {
        owed.incrementAndGet();
    }

    void paid() {
        owed.decrementAndGet();
    }

    /** Gives a tenure back in the background, after the step of its gate. */
    void releaseAfter(Aftermath aftermath, Tenure ended) {
        payAfter(aftermath, () -> release(ended));
    }

    /** Gives grants back in the background, after the step of their gate. */
    void releaseAfter(Aftermath aftermath, List<Grant> grants) {
        payAfter(aftermath, () -> release(grants));
    }

    /** Withdraws a claim in the background, after the step of its gate. */
    void withdrawAfter(Aftermath aftermath, Claim claim, boolean mayStillArrive) {
        payAfter(aftermath, () -> withdraw(claim, mayStillArrive));
    }

    private void payAfter(Aftermath aftermath, Runnable payment) {
        owe();
        aftermath.owe(() -> {
            try {
                payment.run();
            } finally {
                paid();
            }
        });
    }

    /** Gives a tenure back in the background. */
    void release(Tenure ended) {
        new Settlement(
                        ended.grants.get(0).lease(),
                        store -> giveBack(store, ended.grants),
                        () -> withdrawStray(ended, true))
                .attempt();
    }

    /** Gives grants back in the background. */
    void release(List<Grant> grants) {
        new Settlement(grants.get(0).lease(), store -> giveBack(store, grants), () -> {}).attempt();
    }

    /**
     * Withdraws a claim in the background.
     *
     * @param mayStillArrive whether a request of it was never answered and may reach the store later than this one
     */
    void withdraw(Claim claim, boolean mayStillArrive) {
        new Settlement(claim.lease(), store -> store.withdraw(claim, mayStillArrive), () -> {}).attempt();
    }

    /**
     * Gives a tenure back on the calling thread; in the background if the store does not answer.
     *
     * @return false if the store says that it was not held
     */
    boolean releaseNow(LockStore store, Tenure ended) {
        List<ReleaseOutcome> outcomes;
        try {
            outcomes = store.release(ended.grants);
        } catch (RuntimeException | Error unanswered) {
            release(ended);
            return true;
        }
        return released(ended, outcomes);
    }

    /** Judges the answer to the first release of a tenure; false if it was not held. */
    boolean released(Tenure ended, @Nullable List<ReleaseOutcome> outcomes) {
        if (outcomes == null || isUnknown(outcomes)) {
            release(ended);
            return true;
        }
        boolean notHeld = isNotHeld(outcomes);
        withdrawStray(ended, notHeld);
        // Past the deadline the grant may have ended while its release was on the way: that is not a loss.
        return !notHeld || engine.now() >= ended.validUntilNanos;
    }

    private static boolean isNotHeld(List<ReleaseOutcome> outcomes) {
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) instanceof ReleaseOutcome.NotHeld) {
                return true;
            }
        }
        return false;
    }

    /** A request of the claim that was never answered must not take effect now that its grant is gone. */
    private void withdrawStray(Tenure released, boolean maybeNotHeld) {
        Claim stray = released.gate.tenancy().settle(released, maybeNotHeld);
        if (stray != null) {
            withdraw(stray, true);
        }
    }

    private static void giveBack(LockStore store, List<Grant> grants) {
        if (isUnknown(store.release(grants))) {
            throw new StoreUnavailableException("release", grants.get(0).name(), null);
        }
    }

    private static boolean isUnknown(List<ReleaseOutcome> outcomes) {
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) instanceof ReleaseOutcome.Unknown) {
                return true;
            }
        }
        return false;
    }

    /** Something to be settled with the store, tried again until it answers. */
    private final class Settlement extends Timed {
        private final Consumer<LockStore> call;
        private final Runnable afterwards;
        private final long untilNanos;
        private int attempts;

        Settlement(Duration lease, Consumer<LockStore> call, Runnable afterwards) {
            this.untilNanos = engine.now() + lease.toNanos() + LONGEST_EXTRA_NANOS;
            this.call = call;
            this.afterwards = afterwards;
        }

        void attempt() {
            attempts++;
            engine.calls()
                    .submit(
                            StoreCalls.Lane.ORDINARY,
                            store -> {
                                call.accept(store);
                                return true;
                            },
                            (sentNanos, done, failure) -> settled(failure));
        }

        private void settled(@Nullable Throwable failure) {
            if (failure == null) {
                afterwards.run();
                return;
            }
            engine.events().tell(new HoldfastEvent.StoreFailed(engine.clientName(), "settle", failure));
            if (engine.now() < untilNanos && !engine.isClosed()) {
                engine.timeline().schedule(this, engine.now() + engine.pace().backoff(attempts));
            }
        }

        @Override
        public void onDue() {
            attempt();
        }
    }
}
