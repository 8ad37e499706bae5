package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.ClientClosedException;
import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.SelfDeadlockException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

    @Test
    void currentTermIsTheLeaseInOffice() throws InterruptedException {
        Candidate candidate = new Candidate(fixture.client().election(name));
        assertThat(candidate.election.currentTerm()).isEmpty();
        candidate.stand();
        Lease lease = candidate.election.awaitLeadership();

        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.token()).isEqualTo(candidate.term().token());
        assertThat(candidate.election.currentTerm().orElseThrow().token()).isEqualTo(lease.token());
        candidate.election.resign();
        assertThat(candidate.election.currentTerm()).isEmpty();
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void leaderLeavesOfficeByResigningOnly() throws InterruptedException {
        Candidate candidate = stand("ada");
        Lease lease = candidate.term();

        for (ThrowingCallable release : List.<ThrowingCallable>of(lease::close, lease::release, lease::releaseAsync)) {
            assertThatThrownBy(release)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("resign()");
        }
        assertThat(candidate.election.isLeader()).isTrue();
    }

    @Test
    void waitForLeadershipEndsWhenItComes() throws Exception {
        Candidate first = stand("ada");
        long token = first.term().token();
        Candidate second = stand("grace");
        assertThat(second.election.awaitLeadership(Duration.ZERO)).isEmpty();
        assertThat(second.election.awaitLeadership(Duration.ofMillis(50))).isEmpty();
        Task<Lease> waiter = fixture.start(second.election::awaitLeadership);
        waiter.untilWaiting();
        first.election.resign();

        assertThat(waiter.result().token()).isGreaterThan(token);
        assertThat(second.election.awaitLeadership(fixture.patience())).isPresent();
    }

    @Test
    void waitForLeadershipEndsWithItsCandidature() throws Exception {
        Candidate first = stand("ada");
        first.term();
        Holdfast client = fixture.client();
        Candidate second = new Candidate(client.election(name));
        assertThatThrownBy(second.election::awaitLeadership)
                .as("not standing")
                .isInstanceOf(IllegalStateException.class);
        second.stand();
        Task<Lease> resigned = fixture.start(second.election::awaitLeadership);
        resigned.untilWaiting();
        second.election.resign();
        assertThatThrownBy(resigned::result).isInstanceOf(IllegalStateException.class);
        second.stand();
        Task<Lease> interrupted = fixture.start(second.election::awaitLeadership);
        interrupted.untilWaiting();
        interrupted.interrupt();
        assertThatThrownBy(interrupted::result).isInstanceOf(InterruptedException.class);
        Task<Lease> closed = fixture.start(second.election::awaitLeadership);
        closed.untilWaiting();
        client.close();

        assertThatThrownBy(closed::result).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(second::stand).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(second.election::awaitLeadership).isInstanceOf(ClientClosedException.class);
    }

    @Test
    void electionTakesOptions() throws InterruptedException {
        Election election = fixture.client().election(name, fixture.renewed().withLabel("billing"));
        election.campaign(lease -> {}, reason -> {});
        election.awaitLeadership();

        assertThat(fixture.observer().inspect(name).orElseThrow().holders())
                .extracting(LockView.Holder::label)
                .containsExactly("billing");
    }

    @Test
    void leaderThatHangsStandsAgainOnlyWhenItHasReturned() throws Exception {
        Election election = fixture.client().election(name, fixture.renewed());
        BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        CountDownLatch returns = new CountDownLatch(1);
        election.campaign(
                lease -> {
                    calls.add("elected");
                    awaitQuietly(returns);
                },
                reason -> calls.add("deposed"));
        long token = election.awaitLeadership().token();
        assertThat(fixture.observer().evict(name, "it hangs")).isEqualTo(1);
        fixture.await().until(() -> !election.isLeader());
        Holdfast other = fixture.client();
        for (int i = 0; i < 3; i++) {
            assertThat(fixture.takeInTheEnd(other, name))
                    .as("nobody else wants it")
                    .isGreaterThan(token);
            assertThat(election.isLeader()).isFalse();
        }
        assertThat(calls).doesNotContain("deposed");
        returns.countDown();

        election.awaitLeadership();
        fixture.await().untilAsserted(() -> assertThat(calls).containsExactly("elected", "deposed", "elected"));
    }

    @Test
    void lossInterruptsTheLeaderIfAskedFor() throws Exception {
        Election election = fixture.client().election(name, fixture.renewed().withInterruptOnLoss(true));
        BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        CountDownLatch never = new CountDownLatch(1);
        election.campaign(
                lease -> {
                    calls.add("elected, interrupted: " + Thread.currentThread().isInterrupted());
                    if (calls.size() == 1) {
                        calls.add("returned, interrupted: " + !awaitQuietly(never));
                        Thread.currentThread().interrupt();
                    }
                },
                reason -> calls.add(
                        "deposed, interrupted: " + Thread.currentThread().isInterrupted()));
        election.awaitLeadership();
        fixture.await().until(() -> !calls.isEmpty());
        assertThat(fixture.observer().evict(name, "it hangs")).isEqualTo(1);

        fixture.await()
                .untilAsserted(() -> assertThat(calls)
                        .containsExactly(
                                "elected, interrupted: false",
                                "returned, interrupted: true",
                                "deposed, interrupted: false",
                                "elected, interrupted: false"));
    }

    @Test
    void callbackThatWaitsForTheNextTermIsToldThatItWaitsForItself() throws Exception {
        Election election = fixture.client().election(name, fixture.renewed());
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        election.campaign(lease -> {}, reason -> thrown.complete(catchThrowable(election::awaitLeadership)));
        election.awaitLeadership();
        assertThat(fixture.observer().evict(name, "it hangs")).isEqualTo(1);

        assertThat(fixture.outcome(thrown)).isInstanceOf(SelfDeadlockException.class);
        assertThat(election.awaitLeadership(fixture.patience())).isPresent();
    }

    /** {@return whether it came, and no interrupt before} */
    private boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(fixture.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException hurried) {
            return false;
        }
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
