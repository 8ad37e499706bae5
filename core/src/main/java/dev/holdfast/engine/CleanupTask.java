package dev.holdfast.engine;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that the store has to be told until it has answered. Used by {@link StoreCleanup} only. */
abstract sealed class CleanupTask extends Timed {
    private final StoreCleanup cleanup;

    /** When the store must have forgotten the matter. */
    final long untilNanos;

    /** How often it was tried in vain; used by whoever has the task in hand. */
    int failures;

    private CleanupTask(StoreCleanup cleanup, Duration lease) {
        this.cleanup = cleanup;
        this.untilNanos = cleanup.forgottenBy(lease);
    }

    /** The name of the lock, for messages. */
    abstract String describe();

    @Override
    public final void onDue() {
        cleanup.tryAgain(this);
    }

    /** Grants to be given back. */
    static final class Release extends CleanupTask {
        final List<Grant> grants;

        /** What was held of them; null if nobody has held them. */
        private final @Nullable HeldGrant ended;

        Release(StoreCleanup cleanup, List<Grant> grants, @Nullable HeldGrant ended) {
            super(cleanup, grants.get(0).lease());
            this.grants = grants;
            this.ended = ended;
        }

        boolean isOf(String session) {
            return grants.stream().allMatch(grant -> session.equals(grant.session()));
        }

        void wasAnswered() {
            if (ended != null) {
                ended.released(true);
            }
        }

        @Override
        String describe() {
            return grants.get(0).name();
        }
    }

    /** A claim to be withdrawn. */
    static final class Withdrawal extends CleanupTask {
        final Claim claim;

        /** Whether a request of it was never answered and may reach the store later than this one. */
        final boolean mayStillArrive;

        Withdrawal(StoreCleanup cleanup, Claim claim, boolean mayStillArrive) {
            super(cleanup, claim.lease());
            this.claim = claim;
            this.mayStillArrive = mayStillArrive;
        }

        @Override
        String describe() {
            return claim.describe();
        }
    }
}
