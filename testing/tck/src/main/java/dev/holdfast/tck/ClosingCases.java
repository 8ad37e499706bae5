package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The end of a client: everything is given back, everybody is told, nothing is left. P14. */
abstract class ClosingCases {
    private final Fixture fixture;

    ClosingCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void closingGivesEveryLeaseBackAndTellsItsHolder() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease lease = client.lock(name).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        client.close();

        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
        assertThat(fixture.outcome(told)).isEqualTo(LossReason.CLIENT_CLOSED);
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LossReason.CLIENT_CLOSED));
        assertThat(lease.release()).isFalse();
    }

    @Test
    void closingGivesBackWhatWasKeptForLater() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        client.lock(name, fixture.calm().withStickyFor(Duration.ofHours(1)))
                .acquire()
                .close();
        client.close();

        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void closingWakesEveryWaiter() throws Exception {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Holdfast client = fixture.client();
        DistributedLock lock = client.lock(name);
        Lock view = lock.asLock();
        List<Task<Boolean>> waiters = List.of(
                fixture.run(lock::acquire),
                fixture.run(() -> lock.tryAcquire(fixture.patience())),
                fixture.run(view::lock),
                fixture.run(view::lockInterruptibly),
                fixture.run(() -> view.tryLock(1, TimeUnit.HOURS)));
        CompletableFuture<Lease> later = lock.acquireAsync();
        CompletableFuture<Optional<Lease>> soon = lock.tryAcquireAsync(fixture.patience());
        waiters.forEach(Task::untilWaiting);
        client.close();

        for (Task<Boolean> waiter : waiters) {
            assertThatThrownBy(waiter::result).isInstanceOf(ClientClosedException.class);
        }
        assertThatThrownBy(() -> fixture.outcome(later)).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> fixture.outcome(soon)).isInstanceOf(ClientClosedException.class);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void closedClientLeavesTheStoresLine() throws Exception {
        fixture.needs(Promise.SEES_WAITERS);
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Holdfast client = fixture.client();
        CompletableFuture<Lease> waiter = client.lock(name).acquireAsync();
        fixture.untilWaiters(name, 1);
        client.close();

        fixture.untilWaiters(name, 0);
        assertThat(waiter).isCompletedExceptionally();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void closedClientRefusesEverything() {
        Holdfast client = fixture.client();
        DistributedLock lock = client.lock(fixture.name());
        client.close();

        closed(lock::acquire);
        closed(lock::tryAcquire);
        closed(() -> lock.tryAcquire(Duration.ofSeconds(1)));
        closed(() -> fixture.outcome(lock.acquireAsync()));
        closed(() -> fixture.outcome(lock.tryAcquireAsync(Duration.ofSeconds(1))));
        closed(() -> lock.asLock().lock());
        closed(() -> lock.asLock().tryLock());
        closed(() -> client.lock(fixture.name()));
        closed(() -> client.all(fixture.name(), fixture.name()));
        closed(() -> client.readWriteLock(fixture.name()));
        closed(() -> client.semaphore(fixture.name(), 2));
        closed(() -> client.election(fixture.name()));
        closed(() -> client.inspect(fixture.name()));
        closed(() -> client.list(fixture.prefix(), 1));
        closed(() -> client.evict(fixture.name(), "maintenance"));
        closed(() -> client.evict(fixture.name(), 1, "maintenance"));
        closed(client::ping);
    }

    @Test
    void closingTwiceDoesNothing() {
        Holdfast client = fixture.client();
        client.close();
        client.close();

        assertThatThrownBy(client::ping).isInstanceOf(ClientClosedException.class);
    }

    @Test
    void closedClientLeavesNoThread() throws Exception {
        fixture.observer().ping();
        Set<Thread> before = Threads.ofClients();
        Holdfast client = fixture.client();
        Lease lease =
                fixture.outcome(client.lock(fixture.name(), fixture.renewed()).acquireAsync());
        lease.onLost(reason -> {});
        client.close();

        // The other client goes on, and may start a thread whenever it has something to do.
        String observers = "holdfast-" + fixture.observer().clientName() + "-";
        fixture.await()
                .untilAsserted(() -> assertThat(Threads.ofClients())
                        .filteredOn(thread -> !thread.getName().startsWith(observers))
                        .isSubsetOf(before));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void clientMayBeClosedFromItsOwnCallback() throws Exception {
        Holdfast client = fixture.client();
        Lease lease = client.lock(fixture.name(), fixture.renewed()).acquire();
        CompletableFuture<Boolean> closedByCallback = new CompletableFuture<>();
        lease.onLost(reason -> {
            client.close();
            closedByCallback.complete(!Thread.currentThread().isInterrupted());
        });
        fixture.observer().evict(lease.name(), "the contract suite wants it");

        assertThat(fixture.outcome(closedByCallback))
                .as("closed without interrupting itself")
                .isTrue();
    }

    @Test
    void closingLetsAReleaseThatIsUnderWayReachTheStore() throws Exception {
        String name = fixture.name();
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.commandTimeout(fixture.patience()));
        Lease lease = linked.client().lock(name).acquire();
        linked.link().stall(Link.Step.RELEASE);
        Task<Boolean> release = fixture.start(lease::release);
        fixture.await().until(() -> linked.link().calls(Link.Step.RELEASE) == 1);
        Task<Boolean> close = fixture.run(linked.client()::close);
        close.untilWaiting();
        linked.link().heal();

        assertThat(release.result()).isTrue();
        assertThat(close.result()).isTrue();
        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void closingLetsAWithdrawalThatIsUnderWayReachTheStore() throws Exception {
        fixture.needs(Promise.SEES_WAITERS);
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.commandTimeout(fixture.patience()));
        CompletableFuture<Lease> waiter = linked.client().lock(name).acquireAsync();
        fixture.untilWaiters(name, 1);
        linked.link().stall(Link.Step.WITHDRAW);
        waiter.cancel(false);
        fixture.await().until(() -> linked.link().calls(Link.Step.WITHDRAW) >= 1);
        Task<Boolean> close = fixture.run(linked.client()::close);
        close.untilWaiting();
        linked.link().heal();

        assertThat(close.result()).isTrue();
        assertThat(fixture.waiters(name)).isEmpty();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void closingInTheMiddleOfEverythingEndsEverybodyAndLeavesNothing() throws Exception {
        Holdfast client = fixture.client();
        List<String> names = List.of(fixture.name(), fixture.name());
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            DistributedLock lock = client.lock(names.get(i % 2));
            tasks.add(fixture.run(() -> acquireForEver(lock)));
        }
        Holdfast other = fixture.client();
        for (int i = 0; i < 5; i++) {
            fixture.takeInTheEnd(other, names.get(0));
        }
        client.close();

        for (Task<Boolean> task : tasks) {
            assertThatThrownBy(task::result)
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isInstanceOf(ClientClosedException.class),
                            thrown -> assertThat(thrown).isInstanceOf(LeaseLostException.class));
        }
        for (String name : names) {
            fixture.takeInTheEnd(other, name);
        }
    }

    private static void acquireForEver(DistributedLock lock) throws InterruptedException {
        while (true) {
            try (Lease lease = lock.acquire()) {
                lease.ensureHeld();
            }
        }
    }

    private static void closed(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(ClientClosedException.class);
    }
}
