package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.tck.Outages.Fault;
import dev.holdfast.tck.Outcome.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a client does behind its callers' backs is not held up by what hangs: neither losses nor other names. P17. */
abstract class BackgroundCases {
    private static final int GIVEN_UP = 500;
    private static final int HEALTHY = 5;
    private static final Duration SOON = Duration.ofMillis(20);

    private final OutageFixture fixture;

    BackgroundCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void lossesOfManyLeasesAreToldByTheirDeadlinesWhileEverythingIsSilent() throws Exception {
        fixture.needs(Fault.SILENT);
        fixture.plain().needsLeases();
        CountDownLatch wakeUp = new CountDownLatch(1);
        Holdfast client = fixture.exposed(builder -> builder.listener(event -> sleepUntil(wakeUp)));
        WarmClient warm = WarmClient.of(fixture, client);
        List<Loss> losses = new ArrayList<>();
        for (int i = 0; i < WarmClient.HELD; i++) {
            losses.add(new Loss(
                    client.lock(fixture.name(), fixture.plain().renewed()).acquire()));
        }
        Lease sleeper = client.lock(fixture.name(), fixture.plain().renewed()).acquire();
        sleeper.onLost(reason -> sleepUntil(wakeUp));
        losses.forEach(Loss::listen);

        fixture.begin(Fault.SILENT);
        keepEveryThreadBusy(warm);
        fixture.plain()
                .await()
                .until(() -> losses.stream().filter(Loss::isPending).count() == 0);
        wakeUp.countDown();

        assertThat(losses).allSatisfy(loss -> {
            assertThat(loss.reason()).isEqualTo(LossReason.EXPIRED);
            assertThat(loss.lateness()).as("told after the deadline").isLessThan(fixture.slack());
        });
    }

    /** Whatever the client uses for calls to the store is in use, by calls that hang. */
    private void keepEveryThreadBusy(WarmClient warm) {
        for (Lease lease : warm.held()) {
            CompletableFuture<Boolean> unused = lease.releaseAsync();
        }
        warm.waits().forEach(wait -> wait.cancel(false));
        for (int i = 0; i < WarmClient.HELD; i++) {
            DistributedLock lock = warm.client().lock(fixture.name());
            CompletableFuture<Optional<Lease>> unused = lock.tryAcquireAsync(SOON);
        }
    }

    /** A lease that will be lost. Its deadline moves with renewals, so it is read for as long as it is held. */
    private static final class Loss {
        private final Lease lease;
        private volatile long deadlineNanos;
        private volatile long toldNanos;
        private volatile LossReason reason;

        Loss(Lease lease) {
            this.lease = lease;
            this.deadlineNanos = System.nanoTime() + lease.remaining().toNanos();
            this.reason = LossReason.CLIENT_CLOSED;
        }

        void listen() {
            lease.onLost(why -> {
                reason = why;
                toldNanos = System.nanoTime();
            });
        }

        boolean isPending() {
            long left = lease.remaining().toNanos();
            if (left > 0) {
                deadlineNanos = System.nanoTime() + left;
            }
            return toldNanos == 0;
        }

        LossReason reason() {
            return reason;
        }

        Duration lateness() {
            return Duration.ofNanos(toldNanos - deadlineNanos);
        }
    }

    @Test
    void manyWaitsThatWereGivenUpOnASilentPartDoNotDelayTheRest() throws Exception {
        fixture.needs(Fault.PARTLY_SILENT);
        Holdfast client = fixture.exposed();
        WarmClient warm = WarmClient.of(fixture, client);
        List<String> silenced = fixture.names(GIVEN_UP, true);
        List<String> healthy = fixture.names(2 * HEALTHY, false);
        fixture.begin(Fault.PARTLY_SILENT);

        List<CompletableFuture<Outcome>> givenUp = new ArrayList<>();
        for (String name : silenced) {
            givenUp.add(timed(client.lock(name)));
        }
        TimedCalls calls = new TimedCalls(fixture);
        useHealthy(calls, client, healthy.subList(0, HEALTHY));
        calls.judge();
        for (CompletableFuture<Outcome> wait : givenUp) {
            Outcome outcome = fixture.plain().outcome(wait);
            assertThat(outcome.answer()).isEqualTo(Answer.UNAVAILABLE);
            assertThat(outcome.took()).isLessThan(fixture.budget(SOON));
        }
        // What the waits have left behind is being withdrawn by now, from a part that does not answer.
        useHealthy(calls, client, healthy.subList(HEALTHY, 2 * HEALTHY));
        calls.judge();
        assertThat(warm.held().get(0).isHeld()).isTrue();
    }

    private void useHealthy(TimedCalls calls, Holdfast client, List<String> healthy) {
        for (String name : healthy) {
            calls.make(
                    "acquireAsync of a healthy name",
                    Duration.ZERO,
                    () -> fixture.plain().outcome(client.lock(name).acquireAsync()),
                    Answer.ACQUIRED);
        }
    }

    private static CompletableFuture<Outcome> timed(DistributedLock lock) {
        long begin = System.nanoTime();
        return lock.tryAcquireAsync(SOON).handle((lease, failure) -> {
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            if (failure == null) {
                return new Outcome(lease.isPresent() ? Answer.ACQUIRED : Answer.NOT_ACQUIRED, took, "");
            }
            return new Outcome(
                    failure instanceof StoreUnavailableException ? Answer.UNAVAILABLE : Answer.FAILED,
                    took,
                    String.valueOf(failure));
        });
    }

    /** An executor that runs callbacks on the calling thread must never get one on the thread that brings messages. */
    @Test
    void callbackThatSleepsOnAnInlineExecutorHoldsUpNobodyElse() throws Exception {
        fixture.plain().needs(Promise.SEES_WAITERS);
        CountDownLatch wakeUp = new CountDownLatch(1);
        Holdfast client = fixture.exposed(builder -> builder.callbackExecutor(Runnable::run));
        Holdfast other = fixture.plain().client();
        Lease first = other.lock(fixture.name()).acquire();
        Lease second = other.lock(fixture.name()).acquire();
        CompletableFuture<Lease> sleeping = client.lock(first.name()).acquireAsync();
        CompletableFuture<Void> asleep = sleeping.thenAccept(lease -> sleepUntil(wakeUp));
        CompletableFuture<Lease> awake = client.lock(second.name()).acquireAsync();
        fixture.plain().untilWaiters(first.name(), 1);
        fixture.plain().untilWaiters(second.name(), 1);

        TimedCalls calls = new TimedCalls(fixture);
        calls.make("release of the first", Duration.ZERO, first::release, Answer.DONE);
        fixture.plain().await().until(sleeping::isDone);
        calls.make("release of the second", Duration.ZERO, second::release, Answer.DONE);
        calls.make("the second wait", Duration.ZERO, () -> fixture.plain().outcome(awake), Answer.ACQUIRED);
        try {
            calls.judge();
            assertThat(asleep).isNotDone();
        } finally {
            wakeUp.countDown();
        }
    }

    private void sleepUntil(CountDownLatch latch) {
        try {
            boolean unused = latch.await(fixture.plain().patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
