package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What a store shows and tells: waiters, evictions, its own traits. P8, P14. */
abstract class NoticeCases {
    private static final int LOCAL_SEQUENCE_BITS = 12;

    private final StoreFixture fixture;
    private final String name;

    NoticeCases(StoreFixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @Test
    void traitsMakeSenseAndDoNotChange() {
        StoreTraits traits = fixture.traits();

        assertThat(traits).isEqualTo(fixture.peer().store().traits());
        assertThat(traits.shortestLease()).isPositive().isLessThanOrEqualTo(traits.longestLease());
        assertThat(traits.failover()).isNotBlank();
        assertThat(traits.promises(Promise.SEVERAL_NAMES) || !traits.promises(Promise.ATOMIC_NAMES))
                .as("atomic names are several names")
                .isTrue();
    }

    @Test
    void storeAnswersAPing() {
        fixture.peer().store().ping();
    }

    @Test
    void grantAndRenewalTellWhetherSomebodyWaits() {
        fixture.needs(Promise.SEES_WAITERS);
        Peer holder = fixture.peer();
        Claim claim = fixture.claim(name);
        Grant grant = holder.take(claim);
        assertThat(grant.wanted()).isFalse();
        assertThat(wantedOnRenewal(holder, grant)).isFalse();
        Peer waiter = fixture.peer();
        Claim waiting = fixture.claim(name).queued(true);
        waiter.refuse(waiting);

        assertThat(wantedOnRenewal(holder, grant)).isTrue();
        assertThat(holder.take(claim).wanted()).isTrue();
        waiter.store().withdraw(waiting, false);
        assertThat(wantedOnRenewal(holder, grant)).isFalse();
    }

    @Test
    void storeThatCannotTellSaysThatEveryGrantIsWanted() {
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        boolean canTell = fixture.traits().promises(Promise.SEES_WAITERS);

        assertThat(grant.wanted()).isEqualTo(!canTell);
        assertThat(wantedOnRenewal(holder, grant)).isEqualTo(!canTell);
    }

    @Test
    void holderIsToldThatSomebodyWaits() {
        fixture.needs(Promise.PUSHES, Promise.SEES_WAITERS);
        Peer holder = fixture.peer();
        Grant grant = holder.take(fixture.claim(name));
        fixture.peer().refuse(fixture.claim(name).queued(true));

        fixture.await().until(() -> holder.ear().wantedEpochs.contains(grant.epoch()));
    }

    @Test
    void viewShowsHoldersWithTheirTokens() {
        Claim claim = fixture.claim(name);
        Grant grant = fixture.peer().take(claim);
        LockView view = fixture.view(name);

        assertThat(view.name()).isEqualTo(name);
        assertThat(view.kind()).isEqualTo(LockKind.EXCLUSIVE);
        assertThat(view.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.clientName()).isEqualTo(claim.holder().clientName());
            assertThat(holder.label()).isEqualTo(claim.holder().label());
            assertThat(holder.token()).isEqualTo(grant.epoch() << LOCAL_SEQUENCE_BITS);
            assertThat(holder.heldFor()).isGreaterThanOrEqualTo(Duration.ZERO);
        });
    }

    @Test
    void viewShowsWaitersInOrder() {
        fixture.needs(Promise.SEES_WAITERS);
        Peer peer = fixture.peer();
        peer.take(fixture.claim(name));
        List<Claim> waiting =
                List.of(fixture.claim(name).queued(true), fixture.claim(name).queued(true));
        waiting.forEach(peer::refuse);

        assertThat(fixture.view(name).waiters())
                .extracting(LockView.Waiter::label)
                .isEqualTo(waiting.stream().map(claim -> claim.holder().label()).toList());
    }

    @Test
    void listShowsNamesWithHoldersOnly() {
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.claim(name));
        Grant second = peer.take(fixture.claim(fixture.name()));
        peer.giveBack(second);

        assertThat(peer.store().list(fixture.prefix(), 10))
                .extracting(LockView::name)
                .containsExactly(first.name());
        assertThat(peer.store().list(fixture.prefix() + "nonesuch", 10)).isEmpty();
    }

    @Test
    void evictedGrantIsNeitherRenewedNorReleased() {
        Peer holder = fixture.peer();
        Grant evicted = holder.take(fixture.claim(name));
        assertThat(fixture.peer().store().evict(name, OptionalLong.empty(), "operator", "it hangs"))
                .isEqualTo(1);
        Peer next = fixture.peer();
        Grant successor = next.take(fixture.claim(name));

        assertThat(successor.epoch()).isGreaterThan(evicted.epoch());
        assertThat(holder.renew(evicted)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(holder.release(evicted)).isInstanceOf(ReleaseOutcome.NotHeld.class);
        next.giveBack(successor);
    }

    @Test
    void evictionIsRecordedAndTheHolderIsTold() {
        Peer holder = fixture.peer();
        Grant evicted = holder.take(fixture.claim(name));
        fixture.peer().store().evict(name, OptionalLong.empty(), "operator", "it hangs");

        assertThat(fixture.observer().store().inspect(name).flatMap(LockView::lastEviction))
                .hasValueSatisfying(eviction -> {
                    assertThat(eviction.by()).isEqualTo("operator");
                    assertThat(eviction.reason()).isEqualTo("it hangs");
                });
        fixture.await()
                .until(() ->
                        holder.renew(evicted) instanceof RenewOutcome.Lost lost && lost.reason() == LossReason.EVICTED);
    }

    @Test
    void evictionIsPushedToTheHolder() {
        fixture.needs(Promise.PUSHES);
        Peer holder = fixture.peer();
        Grant evicted = holder.take(fixture.claim(name));
        fixture.peer().store().evict(name, OptionalLong.empty(), "operator", "it hangs");

        fixture.await()
                .untilAsserted(() -> assertThat(List.copyOf(holder.ear().losses))
                        .contains(new Peer.Loss(name, evicted.owner(), evicted.epoch(), LossReason.EVICTED)));
    }

    @Test
    void evictionServesTheLine() {
        Peer peer = fixture.peer();
        Grant evicted = peer.take(fixture.claim(name));
        Claim waiting = fixture.claim(name).queued(true);
        peer.refuse(waiting);
        assertThat(peer.store().evict(name, OptionalLong.empty(), "operator", "it hangs"))
                .isEqualTo(1);

        fixture.await().until(() -> peer.isGranted(waiting));
        assertThat(peer.take(waiting).epoch()).isGreaterThan(evicted.epoch());
    }

    @Test
    void evictionByEpochEndsExactlyThatGrant() {
        Peer holder = fixture.peer();
        Grant first = holder.take(fixture.claim(name));
        holder.giveBack(first);
        Grant successor = holder.take(fixture.claim(name));
        LockStore operator = fixture.peer().store();

        assertThat(operator.evict(name, OptionalLong.of(first.epoch()), "operator", "it hangs"))
                .isZero();
        assertThat(operator.evict(name, OptionalLong.of(successor.epoch() + 1), "operator", "it hangs"))
                .isZero();
        assertThat(holder.renew(successor)).isInstanceOf(RenewOutcome.Renewed.class);
        assertThat(fixture.view(name).lastEviction())
                .as("nobody was evicted so far")
                .isEmpty();
        assertThat(operator.evict(name, OptionalLong.of(successor.epoch()), "operator", "it hangs"))
                .isEqualTo(1);
        fixture.await()
                .until(() -> holder.renew(successor) instanceof RenewOutcome.Lost lost
                        && lost.reason() == LossReason.EVICTED);
    }

    @Test
    void evictionOfAFreeNameDoesNothing() {
        assertThat(fixture.peer().store().evict(name, OptionalLong.empty(), "operator", "it hangs"))
                .isZero();
    }

    private static boolean wantedOnRenewal(Peer holder, Grant grant) {
        RenewOutcome outcome = holder.renew(grant);
        assertThat(outcome).isInstanceOf(RenewOutcome.Renewed.class);
        return ((RenewOutcome.Renewed) outcome).wanted();
    }
}
