package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Only the owner of a grant renews and releases it, by owner and epoch, while it lives: P2, P8, P9. */
abstract class OwnershipCases {
    private final StoreFixture fixture;

    OwnershipCases(StoreFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void grantTellsWhatWasGranted() {
        Claim claim = fixture.claim(fixture.name());
        Grant grant = fixture.peer().take(claim);

        assertThat(grant.name()).isEqualTo(claim.parts().get(0).name());
        assertThat(grant.owner()).isEqualTo(claim.owner());
        assertThat(grant.lease()).isEqualTo(claim.lease());
        assertThat(grant.epoch()).isBetween(1L, Grant.EPOCH_LIMIT - 1);
        assertThat(grant.validFor() != null || fixture.traits().expiry() == StoreTraits.Expiry.SESSION)
                .isTrue();
        if (grant.validFor() != null) {
            assertThat(grant.validFor()).isPositive().isLessThanOrEqualTo(claim.lease());
        }
    }

    @Test
    void grantedNameIsRefusedToOtherOwnersOfEveryPeer() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));

        peer.refuse(fixture.claim(name));
        fixture.peer().refuse(fixture.claim(name));
        peer.giveBack(grant);
        fixture.peer().take(fixture.claim(name));
    }

    @Test
    void releaseByAnotherOwnerChangesNothing() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));
        Grant forged = with(grant, fixture.claim(name).owner(), grant.epoch());

        assertThat(peer.release(forged)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        assertThat(fixture.peer().release(forged)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        fixture.peer().refuse(fixture.claim(name));
        peer.giveBack(grant);
    }

    @Test
    void releaseWithAnotherEpochChangesNothing() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));
        for (long epoch : new long[] {grant.epoch() - 1, grant.epoch() + 1, 0, Grant.EPOCH_LIMIT - 1}) {
            assertThat(peer.release(with(grant, grant.owner(), epoch))).isInstanceOf(ReleaseOutcome.NotHeld.class);
        }

        fixture.peer().refuse(fixture.claim(name));
        peer.giveBack(grant);
    }

    @Test
    void renewalByAnotherOwnerIsLostAndChangesNothing() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));
        Grant forged = with(grant, fixture.claim(name).owner(), grant.epoch());

        assertThat(peer.renew(forged)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(peer.renew(grant)).isInstanceOf(RenewOutcome.Renewed.class);
        assertThat(fixture.view(name).holders()).hasSize(1);
    }

    @Test
    void renewalWithAnotherEpochIsLostAndChangesNothing() {
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(fixture.name()));
        for (long epoch : new long[] {grant.epoch() - 1, grant.epoch() + 1, 0, Grant.EPOCH_LIMIT - 1}) {
            assertThat(peer.renew(with(grant, grant.owner(), epoch))).isInstanceOf(RenewOutcome.Lost.class);
        }

        assertThat(peer.renew(grant)).isInstanceOf(RenewOutcome.Renewed.class);
    }

    @Test
    void earlierGrantOfTheSameOwnerNeitherRenewsNorReleasesTheLaterOne() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(name);
        Grant earlier = peer.take(claim);
        peer.giveBack(earlier);
        Grant later = peer.take(claim);

        assertThat(later.epoch()).isGreaterThan(earlier.epoch());
        assertThat(peer.renew(earlier)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(peer.release(earlier)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        fixture.peer().refuse(fixture.claim(name));
        peer.giveBack(later);
    }

    @Test
    void releasedGrantIsNeitherReleasedNorRenewedAgain() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));
        peer.giveBack(grant);

        assertThat(peer.release(grant)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        assertThat(peer.renew(grant)).isInstanceOf(RenewOutcome.Lost.class);
        fixture.peer().take(fixture.claim(name));
    }

    @Test
    void expiredGrantIsNeitherRenewedNorReleasedEvenIfNobodyTookTheName() {
        fixture.needsLeases();
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant expired = peer.take(fixture.briefClaim(name));
        fixture.untilFree(name);

        assertThat(peer.renew(expired)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(peer.release(expired)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        fixture.peer().take(fixture.claim(name));
    }

    @Test
    void expiredHolderCannotReleaseOrRenewItsSuccessor() {
        fixture.needsLeases();
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant expired = peer.take(fixture.briefClaim(name));
        Claim next = fixture.claim(name);
        fixture.await().until(() -> fixture.observer().store().tryAcquire(next) instanceof AcquireOutcome.Granted);

        assertThat(peer.renew(expired)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(peer.release(expired)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        assertThat(fixture.observer().take(next).epoch()).isGreaterThan(expired.epoch());
        fixture.peer().refuse(fixture.claim(name));
    }

    @Test
    void renewalExtendsTheGrant() {
        fixture.needsLeases();
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(fixture.name());
        Grant grant = peer.take(claim);
        RenewOutcome outcome = peer.renew(grant);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        RenewOutcome.Renewed.class,
                        renewed -> assertThat(Objects.requireNonNullElse(renewed.validFor(), claim.lease()))
                                .isPositive()
                                .isLessThanOrEqualTo(claim.lease()));
        assertThat(peer.take(claim).epoch()).as("a renewal keeps the epoch").isEqualTo(grant.epoch());
    }

    @Test
    void batchIsAnsweredGrantByGrantInOrder() {
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.claim(fixture.name()));
        Grant gone = peer.take(fixture.claim(fixture.name()));
        Grant last = peer.take(fixture.claim(fixture.name()));
        peer.giveBack(gone);

        assertThat(peer.store().renew(List.of(first, gone, last)))
                .extracting(outcome -> outcome instanceof RenewOutcome.Renewed)
                .containsExactly(true, false, true);
        assertThat(peer.store().release(List.of(gone, last, first)))
                .extracting(outcome -> outcome instanceof ReleaseOutcome.Released)
                .containsExactly(false, true, true);
    }

    private static Grant with(Grant grant, OwnerId owner, long epoch) {
        return new Grant(grant.name(), owner, epoch, grant.lease(), grant.validFor(), grant.session(), grant.wanted());
    }
}
