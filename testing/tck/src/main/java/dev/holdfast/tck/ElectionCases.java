package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One leader at a time, and another when it goes. */
abstract class ElectionCases {
    private final Fixture fixture;
    private final String name;

    ElectionCases(Fixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @Test
    void onlyCandidateIsElectedAndIsKnownToAll() throws InterruptedException {
        Candidate candidate = stand("ada");
        Lease lease = candidate.term();

        assertThat(lease.isHeld()).isTrue();
        assertThat(candidate.election.isLeader()).isTrue();
        assertThat(fixture.observer().election(name).leader()).contains("ada");
        assertThat(candidate.election.leader()).contains("ada");
    }

    @Test
    void nobodyLeadsBeforeSomebodyStands() {
        Election election = fixture.client().election(name);

        assertThat(election.isLeader()).isFalse();
        assertThat(election.leader()).isEmpty();
    }

    @Test
    void secondCandidateLeadsWhenTheFirstResignsAndItsTokenIsLarger() throws InterruptedException {
        Candidate first = stand("ada");
        long token = first.term().token();
        Candidate second = stand("grace");
        assertThat(second.election.isLeader()).isFalse();
        first.election.resign();

        assertThat(first.election.isLeader()).isFalse();
        assertThat(second.term().token()).isGreaterThan(token);
        assertThat(second.election.leader()).contains("grace");
        assertThat(first.deposed).as("who resigns is not deposed").isEmpty();
    }

    @Test
    void candidateMayResignBeforeItIsElected() throws InterruptedException {
        Candidate first = stand("ada");
        first.term();
        Candidate second = stand("grace");
        second.election.resign();
        first.election.close();

        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isPositive();
        assertThat(second.terms).isEmpty();
    }

    @Test
    void evictedLeaderIsDeposedAndStandsAgainByItself() throws InterruptedException {
        Candidate candidate = stand("ada");
        Lease first = candidate.term();
        assertThat(fixture.observer().evict(name, "the contract suite wants it"))
                .isEqualTo(1);

        assertThat(candidate.deposition()).isEqualTo(LossReason.EVICTED);
        Lease second = candidate.term();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(first.isHeld()).isFalse();
        assertThat(candidate.election.isLeader()).isTrue();
    }

    @Test
    void leaderThatIsCutOffKnowsItBeforeAnotherIsElected() throws InterruptedException {
        fixture.needsLeases();
        Fixture.Linked linked =
                fixture.linkedClient(builder -> builder.clientName("ada").defaults(fixture.brief()));
        Candidate first = stand(linked.client());
        first.term();
        Candidate second = stand("grace");
        linked.link().cut();
        second.term();

        assertThat(first.election.isLeader()).isFalse();
        assertThat(first.deposition()).isEqualTo(LossReason.EXPIRED);
    }

    @Test
    void closedClientLeavesOffice() throws InterruptedException {
        Holdfast client = fixture.client();
        stand(client).term();
        Candidate second = stand("grace");
        client.close();

        assertThat(second.term().isHeld()).isTrue();
    }

    @Test
    void candidateStandsOnceAtATimeAndMayStandAgainAfterResigning() throws InterruptedException {
        Candidate candidate = stand("ada");
        candidate.term();
        assertThatThrownBy(() -> candidate.election.campaign(lease -> {}, reason -> {}))
                .isInstanceOf(IllegalStateException.class);
        candidate.election.resign();
        candidate.stand();

        assertThat(candidate.term().isHeld()).isTrue();
    }

    @Test
    void closedElectionIsOver() throws InterruptedException {
        Candidate candidate = stand("ada");
        candidate.term();
        candidate.election.close();
        candidate.election.close();

        assertThat(candidate.election.isLeader()).isFalse();
        assertThatThrownBy(candidate::stand).isInstanceOf(IllegalStateException.class);
        fixture.takeInTheEnd(fixture.client(), name);
    }

    private Candidate stand(String clientName) {
        return stand(fixture.client(builder -> builder.clientName(clientName).defaults(fixture.renewed())));
    }

    private Candidate stand(Holdfast client) {
        Candidate candidate = new Candidate(client.election(name));
        candidate.stand();
        return candidate;
    }

    /** A candidature and what it was told. */
    private final class Candidate {
        final Election election;
        final BlockingQueue<Lease> terms = new LinkedBlockingQueue<>();
        final BlockingQueue<LossReason> deposed = new LinkedBlockingQueue<>();

        Candidate(Election election) {
            this.election = election;
        }

        void stand() {
            election.campaign(terms::add, deposed::add);
        }

        Lease term() throws InterruptedException {
            return next(terms, "a term of office");
        }

        LossReason deposition() throws InterruptedException {
            return next(deposed, "a deposition");
        }

        private <T> T next(BlockingQueue<T> queue, String what) throws InterruptedException {
            T next = queue.poll(fixture.patience().toNanos(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new AssertionError(what + " does not come");
            }
            return next;
        }
    }
}
