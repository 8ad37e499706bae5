package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Every grant of a name has a larger epoch than all before it, whatever ended those: P3, P4, P5. */
abstract class EpochCases {
    private static final int GRANTS = 300;

    private final StoreFixture fixture;

    EpochCases(StoreFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void epochsGrowOverManyGrantsAndNeverRepeat() {
        String name = fixture.name();
        List<Peer> peers = List.of(fixture.peer(), fixture.peer());
        List<Claim> claims = List.of(fixture.claim(name), fixture.claim(name));
        List<Long> epochs = new ArrayList<>();
        for (int i = 0; i < GRANTS; i++) {
            Peer peer = peers.get(i % 2);
            Grant grant = peer.take(claims.get(i % 2));
            epochs.add(grant.epoch());
            peer.giveBack(grant);
        }

        assertThat(epochs).doesNotHaveDuplicates().isSorted().allMatch(epoch -> epoch > 0 && epoch < Grant.EPOCH_LIMIT);
    }

    @Test
    void epochsOfCompetingPeersNeverRepeat() throws Exception {
        String name = fixture.name();
        List<Long> epochs = Collections.synchronizedList(new ArrayList<>());
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Peer peer = fixture.peer();
            Claim claim = fixture.claim(name);
            tasks.add(fixture.run(() -> {
                for (int j = 0; j < GRANTS / 12; j++) {
                    takeAndGiveBack(peer, claim, epochs);
                }
            }));
        }
        for (Task<Boolean> task : tasks) {
            task.result();
        }

        assertThat(epochs).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void epochIsLargerAfterTheStoresClientsAreGone() {
        String name = fixture.name();
        Peer gone = fixture.peer();
        Grant first = gone.take(fixture.claim(name));
        gone.giveBack(first);

        assertThat(fixture.peer().take(fixture.claim(name)).epoch()).isGreaterThan(first.epoch());
    }

    @Test
    void epochIsLargerAfterAWithdrawal() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Claim claim = fixture.claim(name);
        Grant first = peer.take(claim);
        peer.store().withdraw(claim, false);

        assertThat(peer.take(fixture.claim(name)).epoch()).isGreaterThan(first.epoch());
    }

    @Test
    void epochIsLargerAfterALeaseRanOut() {
        fixture.needsLeases();
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.briefClaim(name));
        fixture.untilFree(name);

        assertThat(peer.take(fixture.claim(name)).epoch()).isGreaterThan(first.epoch());
    }

    @Test
    void epochIsLargerAfterAnEviction() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.claim(name));
        peer.store().evict(name, OptionalLong.empty(), "tck", "maintenance");

        assertThat(peer.take(fixture.claim(name)).epoch()).isGreaterThan(first.epoch());
    }

    @Test
    void refusedClaimsDoNotDisturbTheOrder() {
        String name = fixture.name();
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.claim(name));
        fixture.peer().refuse(fixture.claim(name));
        peer.giveBack(first);

        assertThat(peer.take(fixture.claim(name)).epoch()).isGreaterThan(first.epoch());
    }

    /** Records the epoch while the name is held, so that the order of the records is the order of the grants. */
    private void takeAndGiveBack(Peer peer, Claim claim, List<Long> epochs) {
        peer.store().tryAcquire(claim.queued(true));
        fixture.await().until(() -> peer.isGranted(claim.queued(true)));
        Grant grant = peer.take(claim);
        epochs.add(grant.epoch());
        peer.giveBack(grant);
    }
}
