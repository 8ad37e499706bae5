package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The store cannot be asked: that is never "not acquired", and never leaves anything behind. P2, P14. */
abstract class StoreFailureCases {
    private static final Duration A_WHILE = Duration.ofMillis(150);

    private final Fixture fixture;

    StoreFailureCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void tryOnAStoreThatDoesNotAnswerIsAFailureAndNotARefusal() {
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        linked.link().cut();

        assertThatThrownBy(() -> linked.client().lock(name).tryAcquire())
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        thrown -> assertThat(thrown.lockName()).isEqualTo(name));
    }

    @Test
    void timedWaitWhoseLastWordWasAFailureIsAFailure() {
        Fixture.Linked linked = fixture.linkedClient();
        linked.link().cut();
        DistributedLock lock = linked.client().lock(fixture.name());

        assertThatThrownBy(() -> lock.tryAcquire(A_WHILE)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> fixture.outcome(lock.tryAcquireAsync(A_WHILE)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void workThatNobodyCanTellWhetherToDoIsNotSkippedInSilence() {
        Fixture.Linked linked = fixture.linkedClient();
        linked.link().cut();
        DistributedLock lock = linked.client().lock(fixture.name());
        AtomicInteger done = new AtomicInteger();

        for (ThrowingCallable work : List.<ThrowingCallable>of(
                () -> lock.tryRun(lease -> done.incrementAndGet()),
                () -> lock.tryRun(A_WHILE, lease -> done.incrementAndGet()),
                () -> lock.tryCall(lease -> done.incrementAndGet()),
                () -> lock.tryCall(A_WHILE, lease -> done.incrementAndGet()))) {
            assertThatThrownBy(work).isInstanceOf(StoreUnavailableException.class);
        }
        assertThat(done).hasValue(0);
    }

    @Test
    void waiterGoesOnTryingUntilTheStoreAnswersAgain() throws Exception {
        Fixture.Linked linked = fixture.linkedClient();
        linked.link().cut();
        DistributedLock lock = linked.client().lock(fixture.name());
        Task<Lease> waiter = fixture.start(lock::acquire);
        fixture.await().until(() -> linked.link().attempts() >= 3);
        assertThat(waiter.isDone()).isFalse();
        linked.link().heal();

        assertThat(waiter.result().isHeld()).isTrue();
    }

    @Test
    void asyncWaiterGoesOnTryingUntilTheStoreAnswersAgain() throws Exception {
        Fixture.Linked linked = fixture.linkedClient();
        linked.link().cut();
        CompletableFuture<Lease> waiter = linked.client().lock(fixture.name()).acquireAsync();
        fixture.await().until(() -> linked.link().attempts() >= 3);
        assertThat(waiter).isNotDone();
        linked.link().heal();

        assertThat(fixture.outcome(waiter).isHeld()).isTrue();
    }

    @Test
    void waiterInLineSurvivesAnInterruptionOfTheStore() throws Exception {
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        Lease first = fixture.client().lock(name, fixture.brief()).acquire();
        CompletableFuture<Lease> waiter =
                linked.client().lock(name, fixture.renewed()).acquireAsync();
        fixture.await().until(() -> linked.link().attempts() >= 1);
        linked.link().cut();
        first.release();
        linked.link().heal();

        assertThat(fixture.outcome(waiter).isHeld()).isTrue();
    }

    @Test
    void grantWhoseReplyWasLostToATryIsGivenBack() throws InterruptedException {
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        linked.link().loseReplies(Link.Step.ACQUIRE, 1);
        assertThatThrownBy(() -> linked.client().lock(name).tryAcquire()).isInstanceOf(StoreUnavailableException.class);

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void grantWhoseReplyWasLostIsFoundByTheWaiterThatTriesAgain() throws Exception {
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        linked.link().loseReplies(Link.Step.ACQUIRE, 1);
        Lease lease = linked.client().lock(name).acquire();

        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void releaseThatTheStoreDoesNotAnswerIsNoErrorAndIsRepeated() throws InterruptedException {
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        Lease lease = linked.client().lock(name).acquire();
        linked.link().fail(Link.Step.RELEASE);
        lease.close();
        assertThat(lease.isHeld()).isFalse();
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("the store has not heard")
                .isEmpty();
        linked.link().heal();

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void releaseWhoseReplyWasLostCountsAsReleased() throws InterruptedException {
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        Lease lease = linked.client().lock(name).acquire();
        linked.link().loseReplies(Link.Step.RELEASE, 1);

        assertThat(lease.release()).isTrue();
        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void renewalThatFailsNowAndThenDoesNotEndTheLease() throws InterruptedException {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        Lease lease = linked.client().lock(fixture.name(), fixture.renewed()).acquire();
        linked.link().loseReplies(Link.Step.RENEW, 1);
        int before = linked.link().calls(Link.Step.RENEW);
        fixture.await().until(() -> linked.link().calls(Link.Step.RENEW) >= before + 3);

        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void failuresAreToldToTheListener() {
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.listener(events::add));
        linked.link().cut();
        CompletableFuture<Lease> waiter = linked.client().lock(fixture.name()).acquireAsync();

        fixture.await()
                .untilAsserted(() ->
                        assertThat(List.copyOf(events)).hasAtLeastOneElementOfType(HoldfastEvent.StoreFailed.class));
        assertThat(waiter.cancel(false)).isTrue();
    }
}
