package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LeaseAction;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lease that ends before its holder gives it up: how it is told, and what remains true. P9, P10, P11. */
abstract class LossCases {
    private final Fixture fixture;

    LossCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void tryRunThatLosesItsLeaseIsNotReportedAsDone() {
        DistributedLock lock = fixture.client().lock(fixture.name(), fixture.renewed());
        LeaseAction<RuntimeException> loses = lease -> {
            fixture.observer().evict(lease.name(), "the contract suite wants it");
            fixture.await().until(() -> !lease.isHeld());
        };

        assertThatThrownBy(() -> lock.tryRun(loses)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.tryCall(fixture.patience(), lease -> {
                    loses.run(lease);
                    throw new IllegalStateException("mine");
                }))
                .isInstanceOf(IllegalStateException.class)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).hasExactlyElementsOfTypes(LeaseLostException.class));
    }

    @Test
    void leaseThatCannotBeRenewedIsLostAtItsDeadline() throws Exception {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        Lease lease = linked.client().lock(fixture.name(), fixture.brief()).acquire();
        CompletableFuture<LossReason> told = lossOf(lease);
        linked.link().cut();

        assertThat(fixture.outcome(told)).isEqualTo(LossReason.EXPIRED);
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureHeld).isInstanceOfSatisfying(LeaseLostException.class, lost -> {
            assertThat(lost.reason()).isEqualTo(LossReason.EXPIRED);
            assertThat(lost.lockName()).isEqualTo(lease.name());
        });
    }

    @Test
    void closingALostLeaseThrowsANewExceptionSoThatTheBodysOwnCanCarryIt() throws InterruptedException {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        Lease lease = linked.client().lock(fixture.name(), fixture.brief()).acquire();
        linked.link().cut();
        fixture.await().until(() -> !lease.isHeld());

        assertThatThrownBy(() -> {
                    try (lease) {
                        lease.ensureHeld();
                    }
                })
                .isInstanceOf(LeaseLostException.class)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LeaseLostException.class));
    }

    @Test
    void releasingALostLeaseIsQuiet() throws Exception {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        Lease lease = linked.client().lock(fixture.name(), fixture.brief()).acquire();
        linked.link().cut();
        fixture.await().until(() -> !lease.isHeld());

        assertThat(lease.release()).isFalse();
        assertThat(fixture.outcome(lease.releaseAsync())).isFalse();
    }

    @Test
    void runUnderALeaseThatWasLostTellsSoInTheEnd() {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();

        assertThatThrownBy(() -> linked.client()
                        .lock(fixture.name(), fixture.brief())
                        .run(lease -> {
                            linked.link().cut();
                            fixture.await().until(() -> !lease.isHeld());
                        }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void lostLockIsGrantedAgainWithALargerTokenAndByThenTheLoserKnows() throws Exception {
        fixture.needsLeases();
        fixture.needs(Promise.LOSS_BEFORE_REGRANT);
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        Lease lost = linked.client().lock(name, fixture.brief()).acquire();
        Task<Boolean> heldAtRegrant = fixture.start(() -> {
            try (Lease next = fixture.client().lock(name, fixture.calm()).acquire()) {
                boolean stillHeld = lost.isHeld();
                assertThat(next.token()).isGreaterThan(lost.token());
                return stillHeld;
            }
        });
        heldAtRegrant.untilWaiting();
        linked.link().cut();

        assertThat(heldAtRegrant.result()).isFalse();
    }

    @Test
    void loserCannotReleaseItsSuccessor() throws Exception {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        Lease lost = linked.client().lock(name, fixture.brief()).acquire();
        linked.link().cut();
        Lease next = fixture.client().lock(name, fixture.calm()).acquire();
        linked.link().heal();
        assertThat(lost.release()).isFalse();
        linked.client().close();

        assertThat(fixture.client().lock(name).tryAcquire())
                .as("the successor still holds")
                .isEmpty();
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void lossIsToldToAllWhoAskedAlsoToThoseWhoAskLater() throws Exception {
        Lease lease = fixture.client().lock(fixture.name(), fixture.renewed()).acquire();
        List<CompletableFuture<LossReason>> told = List.of(lossOf(lease), lossOf(lease));
        evict(lease);
        for (CompletableFuture<LossReason> one : told) {
            assertThat(fixture.outcome(one)).isEqualTo(LossReason.EVICTED);
        }
        Queue<Thread> late = new ConcurrentLinkedQueue<>();
        lease.onLost(reason -> late.add(Thread.currentThread()));

        assertThat(late).containsExactly(Thread.currentThread());
    }

    @Test
    void callbackThatThrowsIsReportedAndDoesNotKeepOthersFromBeingTold() throws Exception {
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        Holdfast client = fixture.client(builder -> builder.listener(events::add));
        Lease lease = client.lock(fixture.name(), fixture.renewed()).acquire();
        lease.onLost(reason -> {
            throw new IllegalStateException("mine");
        });
        CompletableFuture<LossReason> told = lossOf(lease);
        evict(lease);

        assertThat(fixture.outcome(told)).isEqualTo(LossReason.EVICTED);
        fixture.await()
                .untilAsserted(() -> assertThat(List.copyOf(events))
                        .hasAtLeastOneElementOfType(HoldfastEvent.CallbackFailed.class)
                        .hasAtLeastOneElementOfType(HoldfastEvent.Lost.class));
    }

    @Test
    void hangingRenewalAndSleepingCallbackDelayNobodysLoss() throws Exception {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.commandTimeout(fixture.patience()));
        Lease sleeper = linked.client().lock(fixture.name(), fixture.brief()).acquire();
        Lease other = linked.client().lock(fixture.name(), fixture.brief()).acquire();
        CountDownLatch wakeUp = new CountDownLatch(1);
        CountDownLatch asleep = new CountDownLatch(1);
        sleeper.onLost(reason -> {
            asleep.countDown();
            awaitQuietly(wakeUp);
        });
        CompletableFuture<LossReason> told = lossOf(other);
        linked.link().stall(Link.Step.RENEW);
        try {
            assertThat(asleep.await(fixture.patience().toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(fixture.outcome(told)).isEqualTo(LossReason.EXPIRED);
            assertThat(other.isHeld()).isFalse();
            assertThat(sleeper.isHeld()).isFalse();
        } finally {
            wakeUp.countDown();
        }
    }

    @Test
    void leaseHeldLongerThanItsMaximumIsLostAndTheLockIsFree() throws Exception {
        String name = fixture.name();
        LockOptions limited = fixture.calm().withMaxHold(Duration.ofMillis(100));
        Lease lease = fixture.client().lock(name, limited).acquire();

        assertThat(fixture.outcome(lossOf(lease))).isEqualTo(LossReason.MAX_HOLD);
        assertThat(lease.isHeld()).isFalse();
        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(lease.token());
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void threadThatAskedForItIsInterruptedByTheLoss() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        BlockingQueue<Lease> held = new LinkedBlockingQueue<>();
        Task<LossReason> worker = fixture.start(() -> {
            Lease lease = client.lock(name, fixture.renewed().withInterruptOnLoss(true))
                    .acquire();
            held.add(lease);
            try {
                new CountDownLatch(1).await();
                return LossReason.CLIENT_CLOSED;
            } catch (InterruptedException interrupted) {
                assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
                return fixture.outcome(lossOf(lease));
            }
        });
        evict(held.take());

        assertThat(worker.result()).isEqualTo(LossReason.EVICTED);
    }

    @Test
    void threadIsNotInterruptedForALeaseThatItHasReleased() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Task<Boolean> worker = fixture.start(() -> {
            client.lock(name, fixture.renewed().withInterruptOnLoss(true))
                    .acquire()
                    .close();
            Lease witness = client.lock(name, fixture.renewed()).acquire();
            evict(witness);
            fixture.outcome(lossOf(witness));
            return Thread.interrupted();
        });

        assertThat(worker.result()).isFalse();
    }

    @Test
    void waitersOfTheLosersClientAreServedWithALeaseOfTheirOwn() throws Exception {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        Lease lost = linked.client().lock(name, fixture.brief()).acquire();
        CompletableFuture<Lease> waiter =
                linked.client().lock(name, fixture.calm()).acquireAsync();
        linked.link().cut();
        fixture.await().until(() -> !lost.isHeld());
        linked.link().heal();
        lost.release();

        Lease next = fixture.outcome(waiter);
        assertThat(next.token()).isGreaterThan(lost.token());
        assertThat(next.isHeld()).isTrue();
    }

    private void evict(Lease lease) {
        assertThat(fixture.observer().evict(lease.name(), "the contract suite wants it"))
                .isEqualTo(1);
    }

    private static CompletableFuture<LossReason> lossOf(Lease lease) {
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        return told;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
