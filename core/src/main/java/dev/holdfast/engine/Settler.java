package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives back to the store what is no longer needed, and does not let go until the store has answered or would have
 * forgotten it anyway. Thread-safe.
 */
final class Settler {
    /** With the backoff at its longest this goes on for more than a minute. */
    private static final int MOST_ATTEMPTS = 40;

    private final Engine engine;

    Settler(Engine engine) {
        this.engine = engine;
    }

    /** Gives a tenure back in the background. */
    void release(Tenure ended) {
        new Settlement(ended.grants, ended.strayClaim, true).attempt();
    }

    /** Gives grants back in the background. */
    void release(List<Grant> grants) {
        new Settlement(grants, null, false).attempt();
    }

    /** Withdraws a claim in the background. */
    void withdraw(Claim claim, boolean mayStillArrive) {
        new Settlement(List.of(), claim, mayStillArrive).attempt();
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
        } catch (RuntimeException unanswered) {
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
        Claim stray = ended.strayClaim;
        if (stray != null) {
            withdraw(stray, true);
        }
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) instanceof ReleaseOutcome.NotHeld) {
                return false;
            }
        }
        return true;
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
        private final List<Grant> grants;
        private final @Nullable Claim claim;
        private final boolean mayStillArrive;
        private int attempts;

        Settlement(List<Grant> grants, @Nullable Claim claim, boolean mayStillArrive) {
            this.grants = grants;
            this.claim = claim;
            this.mayStillArrive = mayStillArrive;
        }

        void attempt() {
            attempts++;
            engine.calls().submit(StoreCalls.Lane.ORDINARY, this::settle, (sentNanos, settled, failure) -> {
                if (failure != null && attempts < MOST_ATTEMPTS && !engine.isClosed()) {
                    engine.timeline().schedule(this, engine.now() + engine.backoff(attempts));
                }
            });
        }

        private boolean settle(LockStore store) {
            if (!grants.isEmpty() && isUnknown(store.release(grants))) {
                throw new StoreUnavailableException("release", grants.get(0).name(), null);
            }
            if (claim != null) {
                // A request that was never answered may reach the store later than this one: leave a tombstone.
                store.withdraw(claim, mayStillArrive);
            }
            return true;
        }

        @Override
        protected void onDue() {
            attempt();
        }
    }
}
