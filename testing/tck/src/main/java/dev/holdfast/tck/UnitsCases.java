package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims for permits of a capacity, and names that are in use as something else: P15. */
abstract class UnitsCases {
    private static final int CAPACITY = 3;

    private final StoreFixture fixture;
    private final String name;

    UnitsCases(StoreFixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @BeforeEach
    void needsSemaphores() {
        fixture.needs(Promise.SEMAPHORE);
    }

    @Test
    void unitsOfAllGrantsFitTheCapacity() {
        Peer peer = fixture.peer();
        Grant two = peer.take(fixture.permits(name, 2, CAPACITY));
        peer.refuse(fixture.permits(name, 2, CAPACITY));
        Grant one = fixture.peer().take(fixture.permits(name, 1, CAPACITY));
        peer.refuse(fixture.permits(name, 1, CAPACITY));
        peer.giveBack(two);

        peer.take(fixture.permits(name, 2, CAPACITY));
        assertThat(two.epoch()).isNotEqualTo(one.epoch());
    }

    @Test
    void everyWaitingClaimThatFitsIsGrantedAtOnce() {
        Peer peer = fixture.peer();
        Grant all = peer.take(fixture.permits(name, CAPACITY, CAPACITY));
        List<Claim> waiting = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            Claim claim = fixture.permits(name, 1, CAPACITY).queued(true);
            peer.refuse(claim);
            waiting.add(claim);
        }
        Claim oneTooMany = fixture.permits(name, 1, CAPACITY).queued(true);
        peer.refuse(oneTooMany);
        peer.giveBack(all);

        fixture.await().until(() -> waiting.stream().allMatch(peer::isGranted));
        assertThat(peer.isGranted(oneTooMany)).isFalse();
    }

    @Test
    void smallClaimDoesNotOvertakeALargeOneThatWaits() {
        fixture.needs(Promise.FAIR);
        Peer peer = fixture.peer();
        Grant one = peer.take(fixture.permits(name, 1, CAPACITY));
        Claim large = fixture.permits(name, CAPACITY, CAPACITY).queued(true);
        peer.refuse(large);

        peer.refuse(fixture.permits(name, 1, CAPACITY));
        peer.giveBack(one);
        fixture.await().until(() -> peer.isGranted(large));
    }

    @Test
    void withdrawalOfALargeClaimLetsTheSmallOnesBehindItIn() {
        Peer peer = fixture.peer();
        Grant one = peer.take(fixture.permits(name, 1, CAPACITY));
        Claim large = fixture.permits(name, CAPACITY, CAPACITY).queued(true);
        Claim small = fixture.permits(name, 2, CAPACITY).queued(true);
        peer.refuse(large);
        peer.store().tryAcquire(small);
        peer.store().withdraw(large, false);

        fixture.await().until(() -> peer.isGranted(small));
        peer.giveBack(one);
    }

    @Test
    void lateRenewalOfAnExpiredPermitDoesNotExceedTheCapacity() {
        fixture.needsLeases();
        Peer peer = fixture.peer();
        Claim brief =
                fixture.claim(List.of(new Claim.Part(name, LockKind.SEMAPHORE, 1, CAPACITY)), fixture.shortLease());
        Grant expired = peer.take(brief);
        Claim large = fixture.permits(name, CAPACITY, CAPACITY).queued(true);
        fixture.await().until(() -> peer.isGranted(large));

        assertThat(peer.renew(expired)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(fixture.view(name).holders())
                .extracting(LockView.Holder::units)
                .containsExactly(CAPACITY);
    }

    @Test
    void claimOfAnotherKindOrCapacityIsAMismatchAndChangesNothing() {
        fixture.needs(Promise.READ_WRITE);
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.permits(name, 1, CAPACITY));
        LockView before = fixture.view(name);
        for (Claim wrong : List.of(fixture.permits(name, 1, CAPACITY + 2), fixture.claim(name), fixture.reader(name))) {
            for (boolean queue : new boolean[] {false, true}) {
                assertThat(peer.store().tryAcquire(wrong.queued(queue)))
                        .isInstanceOfSatisfying(
                                AcquireOutcome.Mismatch.class,
                                mismatch -> assertThat(mismatch.detail()).contains(name));
            }
        }

        LockView after = fixture.view(name);
        assertThat(after.capacity()).isEqualTo(CAPACITY);
        assertThat(after.waiters()).isEmpty();
        assertThat(after.holders())
                .extracting(LockView.Holder::token)
                .isEqualTo(before.holders().stream().map(LockView.Holder::token).toList());
        peer.giveBack(grant);
        peer.take(fixture.claim(name));
    }
}
