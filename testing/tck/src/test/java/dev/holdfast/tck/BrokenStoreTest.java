package dev.holdfast.tck;

import static dev.holdfast.tck.SuiteRun.failuresOf;
import static dev.holdfast.tck.SuiteRun.topic;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tck.broken.Defect;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The suite itself is worth something only if it fails stores that are broken. */
final class BrokenStoreTest {

    @Test
    void soundStorePasses() {
        assertThat(failuresOf(topic(Sound.class, StoreContract.Ownership.class)))
                .isEmpty();
        assertThat(failuresOf(topic(SoundLocks.class, LockStoreContract.Exclusion.class)))
                .isEmpty();
    }

    @Test
    void storeThatReleasesForAnybodyIsCaught() {
        assertThat(failuresOf(topic(ReleasesForAnybody.class, StoreContract.Ownership.class)))
                .contains("releaseByAnotherOwnerChangesNothing()", "releaseWithAnotherEpochChangesNothing()");
    }

    @Test
    void storeThatIgnoresEpochsIsCaught() {
        assertThat(failuresOf(topic(IgnoresEpochs.class, StoreContract.Ownership.class)))
                .contains(
                        "releaseWithAnotherEpochChangesNothing()",
                        "renewalWithAnotherEpochIsLostAndChangesNothing()",
                        "earlierGrantOfTheSameOwnerNeitherRenewsNorReleasesTheLaterOne()");
    }

    @Test
    void storeThatRepeatsEpochsIsCaught() {
        assertThat(failuresOf(topic(RepeatsEpochs.class, StoreContract.Epochs.class)))
                .contains("epochsGrowOverManyGrantsAndNeverRepeat()");
    }

    @Test
    void storeThatGrantsTwoHoldersIsCaught() {
        assertThat(failuresOf(topic(GrantsTwoHolders.class, StoreContract.Claims.class)))
                .contains("oneOfManySimultaneousClaimsIsGranted()");
        assertThat(failuresOf(topic(LocksOfTwoHolders.class, LockStoreContract.Exclusion.class)))
                .contains("secondClientIsRefusedUntilTheFirstReleases()");
    }

    @Test
    void storeThatForgetsTombstonesIsCaught() {
        assertThat(failuresOf(topic(ForgetsTombstones.class, StoreContract.Claims.class)))
                .contains("requestThatArrivesAfterItsWithdrawalTakesNoEffect()");
        assertThat(failuresOf(topic(LocksWithoutTombstones.class, LockStoreContract.Lateness.class)))
                .contains("requestThatArrivesAfterItsCallerGaveUpTakesNoEffect()");
    }

    @Test
    void storeThatPromisesAWholeLeaseToARepeatedClaimIsCaught() {
        assertThat(failuresOf(topic(PromisesAWholeLease.class, StoreContract.Claims.class)))
                .contains("repeatedClaimIsToldWhatIsLeftAndNotAWholeLease()");
    }

    /** What a broken store does not do within half a second, it never does; a sound one may be slow. */
    private static Duration patienceWith(Defect defect) {
        return Duration.ofMillis(defect == Defect.NONE ? 30_000 : 500);
    }

    /** Not found by Maven, because of its name; run by the tests above. */
    abstract static class Steps extends StoreContract {
        private final Defect defect;

        Steps(Defect defect) {
            this.defect = defect;
        }

        @Override
        public String url() {
            return defect.url();
        }

        @Override
        public Duration patience() {
            return patienceWith(defect);
        }
    }

    /** Not found by Maven, because of its name; run by the tests above. */
    abstract static class Locks extends LockStoreContract {
        private final Defect defect;

        Locks(Defect defect) {
            this.defect = defect;
        }

        @Override
        public String url() {
            return defect.url();
        }

        @Override
        public Duration patience() {
            return patienceWith(defect);
        }
    }

    static final class Sound extends Steps {
        Sound() {
            super(Defect.NONE);
        }
    }

    static final class ReleasesForAnybody extends Steps {
        ReleasesForAnybody() {
            super(Defect.RELEASES_FOR_ANYBODY);
        }
    }

    static final class IgnoresEpochs extends Steps {
        IgnoresEpochs() {
            super(Defect.IGNORES_EPOCHS);
        }
    }

    static final class RepeatsEpochs extends Steps {
        RepeatsEpochs() {
            super(Defect.REPEATS_EPOCHS);
        }
    }

    static final class GrantsTwoHolders extends Steps {
        GrantsTwoHolders() {
            super(Defect.GRANTS_TWO_HOLDERS);
        }
    }

    static final class ForgetsTombstones extends Steps {
        ForgetsTombstones() {
            super(Defect.FORGETS_TOMBSTONES);
        }
    }

    static final class PromisesAWholeLease extends Steps {
        PromisesAWholeLease() {
            super(Defect.PROMISES_A_WHOLE_LEASE);
        }
    }

    static final class SoundLocks extends Locks {
        SoundLocks() {
            super(Defect.NONE);
        }
    }

    static final class LocksOfTwoHolders extends Locks {
        LocksOfTwoHolders() {
            super(Defect.GRANTS_TWO_HOLDERS);
        }
    }

    static final class LocksWithoutTombstones extends Locks {
        LocksWithoutTombstones() {
            super(Defect.FORGETS_TOMBSTONES);
        }
    }
}
