package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Claims that are repeated, wait in line, are withdrawn, and arrive late: P1, P12, P13, P14. */
abstract class ClaimCases {
    private static final Duration NOTICEABLE = Duration.ofMillis(100);

    private final StoreFixture fixture;
    private final String name;

    ClaimCases(StoreFixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @Test
    void oneOfManySimultaneousClaimsIsGranted() throws Exception {
        List<Peer> peers = List.of(fixture.peer(), fixture.peer());
        for (int round = 0; round < 20; round++) {
            String contended = fixture.name();
            AtomicInteger granted = new AtomicInteger();
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Peer peer = peers.get(i % 2);
                Claim claim = fixture.claim(contended);
                tasks.add(fixture.run(() -> {
                    if (peer.store().tryAcquire(claim) instanceof AcquireOutcome.Granted) {
                        granted.incrementAndGet();
                    }
                }));
            }
            for (Task<Boolean> task : tasks) {
                task.result();
            }
            assertThat(granted).as("grants of %s", contended).hasValue(1);
        }
    }

    @Test
    void repeatedClaimFindsItsOwnGrant() {
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(name);
        Grant grant = peer.take(claim);
        Grant again = peer.take(claim);

        assertThat(again.epoch()).isEqualTo(grant.epoch());
        assertThat(peer.take(claim.queued(true)).epoch()).isEqualTo(grant.epoch());
        assertThat(fixture.view(name).holders()).hasSize(1);
        peer.giveBack(grant);
        fixture.peer().take(fixture.claim(name));
    }

    @Test
    void repeatedClaimIsToldWhatIsLeftAndNotAWholeLease() {
        fixture.needsLeases();
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(name);
        Duration first = Objects.requireNonNull(peer.take(claim).validFor());

        fixture.await()
                .untilAsserted(
                        () -> assertThat(peer.take(claim).validFor()).isLessThanOrEqualTo(first.minus(NOTICEABLE)));
    }

    @Test
    void claimThatDoesNotQueueLeavesNothing() {
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));
        fixture.peer().refuse(fixture.claim(name));

        assertThat(fixture.view(name).waiters()).isEmpty();
        peer.giveBack(grant);
        assertThat(fixture.view(name).holders()).isEmpty();
    }

    @Test
    void contentionComesWithAUsefulTimeToAskAgain() {
        fixture.peer().take(fixture.claim(name));
        AcquireOutcome outcome = fixture.peer().store().tryAcquire(fixture.claim(name));

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        AcquireOutcome.Contended.class,
                        contended -> assertThat(contended.retryHint())
                                .isPositive()
                                .isLessThanOrEqualTo(fixture.calmLease()));
    }

    @Test
    void waitingClaimIsGrantedAfterTheRelease() {
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        Peer waiter = fixture.peer();
        Claim waiting = fixture.claim(name).queued(true);
        waiter.refuse(waiting);
        holder.giveBack(grant);

        fixture.await().until(() -> waiter.isGranted(waiting));
        assertThat(waiter.take(waiting).epoch()).isGreaterThan(grant.epoch());
        fixture.peer().refuse(fixture.claim(name));
    }

    @Test
    void waitingClaimsAreGrantedInOrderOfArrivalHoweverOftenTheyAsk() {
        fixture.needs(Promise.FAIR);
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        List<Claim> line = new ArrayList<>();
        Peer waiter = fixture.peer();
        for (int i = 0; i < 5; i++) {
            Claim claim = fixture.claim(name).queued(true);
            waiter.refuse(claim);
            line.add(claim);
        }
        List<Claim> backwards = new ArrayList<>(line);
        Collections.reverse(backwards);
        assertThat(waiter.store().poll(backwards)).hasOnlyElementsOfType(AcquireOutcome.Contended.class);
        holder.giveBack(grant);
        for (Claim next : line) {
            List<Claim> others =
                    backwards.stream().filter(other -> !other.equals(next)).toList();
            assertThat(waiter.store().poll(others)).hasOnlyElementsOfType(AcquireOutcome.Contended.class);
            fixture.await().until(() -> waiter.isGranted(next));
            waiter.giveBack(waiter.take(next));
            backwards.remove(next);
        }
    }

    @Test
    void newcomerDoesNotOvertakeAWaitingClaim() {
        fixture.needs(Promise.FAIR);
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        Peer waiter = fixture.peer();
        Claim waiting = fixture.claim(name).queued(true);
        waiter.refuse(waiting);
        holder.giveBack(grant);

        holder.refuse(fixture.claim(name));
        fixture.await().until(() -> waiter.isGranted(waiting));
    }

    @Test
    void polledClaimThatIsNotInLineEntersIt() {
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        Peer waiter = fixture.peer();
        Claim forgotten = fixture.claim(name).queued(true);
        assertThat(waiter.isGranted(forgotten)).isFalse();
        holder.giveBack(grant);

        fixture.await().until(() -> waiter.isGranted(forgotten));
    }

    @Test
    void pollIsAnsweredClaimByClaimInOrder() {
        Peer peer = fixture.peer();
        Claim granted = fixture.claim(name).queued(true);
        Claim refused = fixture.claim(name).queued(true);
        Claim other = fixture.claim(fixture.name()).queued(true);

        assertThat(peer.store().poll(List.of(granted, refused, other)))
                .extracting(outcome -> outcome instanceof AcquireOutcome.Granted)
                .containsExactly(true, false, true);
    }

    @Test
    void waitingClaimIsGrantedAfterTheHoldersLeaseRanOut() {
        fixture.needsLeases();
        Grant expired = fixture.peer().take(fixture.briefClaim(name));
        Peer waiter = fixture.peer();
        Claim waiting = fixture.claim(name).queued(true);

        fixture.await().until(() -> waiter.isGranted(waiting));
        assertThat(waiter.take(waiting).epoch()).isGreaterThan(expired.epoch());
    }

    @Test
    void waiterIsToldOfItsGrantWithoutAsking() {
        fixture.needs(Promise.PUSHES);
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        Peer waiter = fixture.peer();
        Claim waiting = fixture.claim(name).queued(true);
        waiter.refuse(waiting);
        holder.giveBack(grant);
        fixture.await().until(() -> !waiter.ear().pushes.isEmpty());

        assertThat(waiter.ear().pushes).allSatisfy(push -> {
            assertThat(push.grants()).singleElement().satisfies(pushed -> {
                assertThat(pushed.owner()).isEqualTo(waiting.owner());
                assertThat(pushed.epoch()).isGreaterThan(grant.epoch());
            });
            assertThat(push.anchorNanos())
                    .satisfiesAnyOf(
                            anchor -> assertThat(anchor).isEqualTo(StoreListener.UNKNOWN_ANCHOR),
                            anchor -> assertThat(anchor).isBetween(0L, push.heardNanos()));
        });
        assertThat(holder.ear().pushes).isEmpty();
    }

    @Test
    void withdrawnClaimLeavesTheLine() {
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        Peer waiter = fixture.peer();
        Claim waiting = fixture.claim(name).queued(true);
        waiter.refuse(waiting);
        waiter.store().withdraw(waiting, false);

        assertThat(fixture.view(name).waiters()).isEmpty();
        holder.giveBack(grant);
        fixture.peer().take(fixture.claim(name));
    }

    @Test
    void withdrawnClaimReleasesWhatItHolds() {
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(name);
        Grant grant = peer.take(claim);
        peer.store().withdraw(claim, false);

        assertThat(fixture.peer().take(fixture.claim(name)).epoch()).isGreaterThan(grant.epoch());
    }

    @Test
    void withdrawnClaimLetsThoseBehindItMoveUp() {
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        Peer waiter = fixture.peer();
        Claim first = fixture.claim(name).queued(true);
        Claim second = fixture.claim(name).queued(true);
        waiter.refuse(first);
        waiter.refuse(second);
        holder.giveBack(grant);
        waiter.store().withdraw(first, false);

        fixture.await().until(() -> waiter.isGranted(second));
    }

    @Test
    void withdrawalOfAnUnknownClaimChangesNothing() {
        Peer peer = fixture.peer();
        Grant grant = peer.take(fixture.claim(name));
        peer.store().withdraw(fixture.claim(name), false);
        peer.store().withdraw(fixture.claim(name), true);

        fixture.peer().refuse(fixture.claim(name));
        peer.giveBack(grant);
    }

    @Test
    void requestThatArrivesAfterItsWithdrawalTakesNoEffect() {
        Peer peer = fixture.peer();
        Claim late = fixture.claim(name);
        peer.store().withdraw(late, true);
        peer.refuse(late);
        peer.refuse(late.queued(true));
        assertThat(peer.isGranted(late.queued(true))).isFalse();

        LockView view = fixture.view(name);
        assertThat(view.holders()).isEmpty();
        assertThat(view.waiters()).isEmpty();
        fixture.peer().take(fixture.claim(name));
    }

    @Test
    void requestThatArrivesAfterTheWithdrawalOfItsGrantTakesNoEffect() {
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(name);
        peer.take(claim);
        peer.store().withdraw(claim, true);
        peer.refuse(claim);

        fixture.peer().take(fixture.claim(name));
    }
}
