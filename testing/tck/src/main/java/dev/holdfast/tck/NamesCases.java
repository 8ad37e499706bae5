package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims over several names: all or nothing. */
abstract class NamesCases {
    private final StoreFixture fixture;
    private final String a;
    private final String b;
    private final String c;

    NamesCases(StoreFixture fixture) {
        this.fixture = fixture;
        String base = fixture.name();
        this.a = base + "/a";
        this.b = base + "/b";
        this.c = base + "/c";
    }

    @BeforeEach
    void needsSeveralNames() {
        fixture.needs(Promise.SEVERAL_NAMES);
    }

    @Test
    void grantsComeInTheOrderOfTheParts() {
        Claim claim = fixture.claim(a, b, c);
        List<Grant> grants = fixture.peer().grants(claim);

        assertThat(grants).extracting(Grant::name).containsExactly(a, b, c);
        assertThat(grants).extracting(Grant::owner).containsOnly(claim.owner());
        assertThat(grants).allMatch(grant -> grant.epoch() > 0);
    }

    @Test
    void oneTakenNameRefusesAllAndLeavesTheOthersFree() {
        Peer peer = fixture.peer();
        peer.take(fixture.claim(b));
        peer.refuse(fixture.claim(a, b, c));

        peer.take(fixture.claim(a));
        peer.take(fixture.claim(c));
    }

    @Test
    void repeatedClaimFindsAllItsGrants() {
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(a, b);
        List<Grant> grants = peer.grants(claim);

        assertThat(peer.grants(claim))
                .extracting(Grant::epoch)
                .isEqualTo(grants.stream().map(Grant::epoch).toList());
    }

    @Test
    void waitingClaimIsGrantedWhenTheLastNameIsFree() {
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.claim(a));
        Grant last = peer.take(fixture.claim(c));
        Claim waiting = fixture.claim(a, b, c).queued(true);
        peer.refuse(waiting);
        peer.giveBack(first);
        assertThat(peer.isGranted(waiting)).isFalse();
        peer.giveBack(last);

        fixture.await().until(() -> peer.isGranted(waiting));
    }

    @Test
    void releaseOfAllFreesEveryName() {
        Peer peer = fixture.peer();
        List<Grant> grants = peer.grants(fixture.claim(a, b));

        assertThat(peer.store().release(grants)).hasSize(2).hasOnlyElementsOfType(ReleaseOutcome.Released.class);
        peer.take(fixture.claim(a));
        peer.take(fixture.claim(b));
    }

    @Test
    void grantsAreRenewedTogether() {
        Peer peer = fixture.peer();
        List<Grant> grants = peer.grants(fixture.claim(a, b));

        assertThat(peer.store().renew(grants)).hasSize(2).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
    }

    @Test
    void withdrawalLeavesEveryLine() {
        Peer peer = fixture.peer();
        Grant held = peer.take(fixture.claim(b));
        Claim waiting = fixture.claim(a, b, c).queued(true);
        peer.refuse(waiting);
        peer.store().withdraw(waiting, false);

        peer.take(fixture.claim(a));
        peer.take(fixture.claim(c));
        peer.giveBack(held);
        peer.take(fixture.claim(b));
    }

    @Test
    void withdrawalReleasesEveryName() {
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(a, b);
        peer.grants(claim);
        peer.store().withdraw(claim, false);

        peer.grants(fixture.claim(a, b));
    }

    @Test
    void claimsThatCrossAreGrantedOneAfterAnother() {
        Peer peer = fixture.peer();
        List<Grant> first = peer.grants(fixture.claim(a, b));
        Claim second = fixture.claim(b, c).queued(true);
        Claim third = fixture.claim(a, c).queued(true);
        peer.refuse(second);
        peer.store().tryAcquire(third);
        peer.store().release(first);
        fixture.await().until(() -> peer.isGranted(second) || peer.isGranted(third));

        assertThat(peer.isGranted(second) && peer.isGranted(third)).isFalse();
        Claim winner = peer.isGranted(second) ? second : third;
        peer.store().release(peer.grants(winner));
        fixture.await().until(() -> peer.isGranted(winner.equals(second) ? third : second));
    }

    @Test
    void mismatchOfOneNameTakesNone() {
        fixture.needs(Promise.SEMAPHORE);
        Peer peer = fixture.peer();
        peer.take(fixture.permits(b, 1, 3));
        Claim mixed = fixture.claim(
                List.of(new Claim.Part(a, LockKind.EXCLUSIVE, 1, 1), new Claim.Part(b, LockKind.EXCLUSIVE, 1, 1)),
                fixture.calmLease());

        assertThat(peer.store().tryAcquire(mixed)).isInstanceOf(AcquireOutcome.Mismatch.class);
        assertThat(fixture.view(a).holders()).isEmpty();
        peer.take(fixture.claim(a));
    }
}
