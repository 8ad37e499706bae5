package dev.holdfast.engine;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that the store has to be told until it has answered. Used by {@link StoreCleanup} only. */
abstract sealed class CleanupTask extends Timed implements Comparable<CleanupTask> {
    private final StoreCleanup cleanup;

    /** When the store must have forgotten the matter. */
    final long untilNanos;

    /** Tells tasks apart that come at the same moment. */
    private final long serial;

    /** How often it was tried in vain; used, as is the next, by whoever has the task in hand. */
    int failures;

    /** Where it stands among others: later for each failure. Not changed while it is in line. */
    long orderNanos;

    private CleanupTask(StoreCleanup cleanup, Duration lease) {
        this.cleanup = cleanup;
        this.untilNanos = cleanup.forgottenBy(lease);
        this.serial = cleanup.nextSerial();
    }

    /** The name of the lock, for messages. */
    abstract String describe();

    /** The store has answered. */
    void isDone(boolean maybeNotHeld) {}

    /** The store has answered the first try, or not. */
    void firstTryEnded(long sentNanos, @Nullable List<ReleaseOutcome> outcomes) {}

    /** Whoever has failed less often comes first, but nobody waits for ever. */
    @Override
    public final int compareTo(CleanupTask other) {
        int earlier = Long.compare(orderNanos, other.orderNanos);
        return earlier != 0 ? earlier : Long.compare(serial, other.serial);
    }

    @Override
    public final void onDue() {
        cleanup.tryAgain(this);
    }

    /** Grants to be given back. */
    static final class Release extends CleanupTask {
        final List<Grant> grants;

        /** What was held of them; null if nobody has held them. */
        private final @Nullable HeldGrant ended;

        /** Whom to tell how the first try went; null if nobody waits for that. */
        private final @Nullable FirstAnswer firstAnswer;

        Release(
                StoreCleanup cleanup,
                List<Grant> grants,
                @Nullable HeldGrant ended,
                @Nullable FirstAnswer firstAnswer) {
            super(cleanup, grants.get(0).lease());
            this.grants = grants;
            this.ended = ended;
            this.firstAnswer = firstAnswer;
        }

        boolean isOf(String session) {
            return grants.stream().allMatch(grant -> session.equals(grant.session()));
        }

        @Override
        void isDone(boolean maybeNotHeld) {
            if (ended != null) {
                ended.gaveBack(maybeNotHeld);
            }
        }

        @Override
        void firstTryEnded(long sentNanos, @Nullable List<ReleaseOutcome> outcomes) {
            if (firstAnswer != null) {
                firstAnswer.on(sentNanos, outcomes);
            }
        }

        @Override
        String describe() {
            return grants.get(0).name();
        }
    }

    /** Receives the outcome of the first try of a release. */
    interface FirstAnswer {
        /**
         * Receives the outcome.
         *
         * @param outcomes what the store said; null if it did not answer
         */
        void on(long sentNanos, @Nullable List<ReleaseOutcome> outcomes);
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
