package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A fixed number of permits. P12, P13, P15. */
abstract class SemaphoreCases {
    private static final int CAPACITY = 3;
    private static final int ROUNDS_PER_THREAD = 20;

    private final Fixture fixture;
    private final String name;

    SemaphoreCases(Fixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @BeforeEach
    void needsSemaphores() {
        fixture.needs(Promise.SEMAPHORE);
    }

    @Test
    void asManyAsThereArePermitsHoldAtOnceAndNoMore() throws InterruptedException {
        List<Lease> holders = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            holders.add(permits(fixture.client(), 1).acquire());
        }

        assertThat(permits(fixture.client(), 1).tryAcquire()).isEmpty();
        assertThat(holders).allMatch(Lease::isHeld).noneMatch(Lease::isExclusive);
        assertThat(holders).extracting(Lease::token).doesNotHaveDuplicates();
    }

    @Test
    void permitsOfOneLeaseAreTakenAndGivenBackTogether() throws InterruptedException {
        Lease two = permits(fixture.client(), 2).acquire();
        Holdfast other = fixture.client();
        assertThat(permits(other, 2).tryAcquire()).isEmpty();
        Lease one = permits(other, 1).tryAcquire().orElseThrow();
        two.close();

        Lease twoAgain = permits(other, 2).tryAcquire().orElseThrow();
        assertThat(List.of(one, twoAgain)).allMatch(Lease::isHeld);
    }

    @Test
    void allPermitsAtOnceExcludeEverybodyElse() throws InterruptedException {
        Lease all = permits(fixture.client(), CAPACITY).acquire();

        assertThat(permits(fixture.client(), 1).tryAcquire()).isEmpty();
        assertThat(all.isHeld()).isTrue();
    }

    @TestFactory
    Stream<DynamicTest> holdersMayLeaveInAnyOrderAndEachLetsTheNextIn() {
        return Stream.of("012", "021", "102", "120", "201", "210")
                .map(order -> DynamicTest.dynamicTest("order " + order, () -> leaveInOrder(order)));
    }

    private void leaveInOrder(String order) throws Exception {
        String semaphore = name + "/" + order;
        List<Lease> holders = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            holders.add(
                    fixture.client().semaphore(semaphore, CAPACITY).permits(1).acquire());
        }
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            waiters.add(
                    fixture.client().semaphore(semaphore, CAPACITY).permits(1).acquireAsync());
        }
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(waiters.stream().filter(CompletableFuture::isDone)).hasSize(i);
            holders.get(order.charAt(i) - '0').close();
            int served = i + 1;
            fixture.await()
                    .until(() ->
                            waiters.stream().filter(CompletableFuture::isDone).count() == served);
        }
        for (CompletableFuture<Lease> waiter : waiters) {
            fixture.outcome(waiter).close();
        }
    }

    @Test
    void unitsInUseNeverExceedTheCapacity() throws Exception {
        AtomicInteger inUse = new AtomicInteger();
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (Holdfast client : List.of(fixture.client(), fixture.client())) {
            for (int i = 0; i < CAPACITY; i++) {
                int units = i + 1;
                tasks.add(fixture.run(() -> use(permits(client, units), units, inUse)));
            }
        }

        for (Task<Boolean> task : tasks) {
            assertThat(task.result()).isTrue();
        }
        assertThat(inUse).hasValue(0);
    }

    @Test
    void claimForManyPermitsIsNotStarvedByClaimsForOne() throws Exception {
        fixture.needs(Promise.FAIR, Promise.SEES_WAITERS);
        Lease one = permits(fixture.client(), 1).acquire();
        CompletableFuture<Lease> all = permits(fixture.client(), CAPACITY).acquireAsync();
        fixture.untilWaiters(name, 1);

        assertThat(permits(fixture.client(), 1).tryAcquire()).isEmpty();
        one.close();
        assertThat(fixture.outcome(all).isHeld()).isTrue();
    }

    @Test
    void permitThatRanOutIsGrantedAgainOnceOnly() throws Exception {
        fixture.needsLeases();
        fixture.needs(Promise.LOSS_BEFORE_REGRANT);
        Fixture.Linked linked = fixture.linkedClient();
        Lease lost = linked.client()
                .semaphore(name, CAPACITY, fixture.brief())
                .permits(1)
                .acquire();
        Lease kept = permits(fixture.client(), CAPACITY - 1).acquire();
        linked.link().cut();
        Lease next = permits(fixture.client(), 1).acquire();
        assertThat(lost.isHeld()).isFalse();
        linked.link().heal();

        assertThat(permits(fixture.client(), 1).tryAcquire()).isEmpty();
        assertThat(lost.release()).isFalse();
        assertThat(permits(fixture.client(), 1).tryAcquire()).isEmpty();
        assertThat(List.of(kept, next)).allMatch(Lease::isHeld);
    }

    @Test
    void evictionTellsAllHolders() throws Exception {
        List<CompletableFuture<LossReason>> told = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            Lease lease = fixture.client()
                    .semaphore(name, CAPACITY, fixture.renewed())
                    .permits(1)
                    .acquire();
            CompletableFuture<LossReason> loss = new CompletableFuture<>();
            lease.onLost(loss::complete);
            told.add(loss);
            leases.add(lease);
        }

        assertThat(fixture.observer().evict(name, "the contract suite wants it"))
                .isEqualTo(CAPACITY);
        for (CompletableFuture<LossReason> loss : told) {
            assertThat(fixture.outcome(loss)).isEqualTo(LossReason.EVICTED);
        }
        assertThat(leases).noneMatch(Lease::isHeld);
    }

    @Test
    void evictionByTokenTakesOnePermitAway() throws Exception {
        DistributedLock permit =
                fixture.client().semaphore(name, CAPACITY, fixture.renewed()).permits(1);
        Lease evicted = permit.acquire();
        Lease kept = permit.acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        evicted.onLost(told::complete);

        assertThat(fixture.observer().evict(name, evicted.token(), "the contract suite wants it"))
                .isEqualTo(1);
        assertThat(fixture.outcome(told)).isEqualTo(LossReason.EVICTED);
        assertThat(fixture.observer().inspect(name).orElseThrow().holders())
                .extracting(LockView.Holder::token)
                .containsExactly(kept.token());
        assertThat(kept.isHeld()).isTrue();
    }

    @Test
    void anotherCapacityOrKindIsRefusedAndChangesNothing() throws InterruptedException {
        Lease held = permits(fixture.client(), 1).acquire();
        Holdfast other = fixture.client();
        for (DistributedLock wrong : List.of(
                other.semaphore(name, CAPACITY + 2).permits(1),
                other.lock(name),
                other.readWriteLock(name).readLock())) {
            assertThatThrownBy(wrong::tryAcquire)
                    .isInstanceOf(LockMismatchException.class)
                    .hasMessageContaining(name);
            assertThatThrownBy(() -> wrong.tryAcquire(fixture.patience())).isInstanceOf(LockMismatchException.class);
        }

        assertThat(fixture.observer().inspect(name).orElseThrow().capacity()).isEqualTo(CAPACITY);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isTrue();
        assertThat(other.semaphore(name, CAPACITY + 2).permits(1).tryAcquire())
                .as("a name out of use may change its capacity")
                .isPresent();
    }

    private DistributedLock permits(Holdfast client, int count) {
        return client.semaphore(name, CAPACITY).permits(count);
    }

    private static void use(DistributedLock lock, int units, AtomicInteger inUse) throws Exception {
        for (int i = 0; i < ROUNDS_PER_THREAD; i++) {
            lock.run(lease -> {
                assertThat(inUse.addAndGet(units)).isLessThanOrEqualTo(CAPACITY);
                Threads.giveWay();
                inUse.addAndGet(-units);
            });
        }
    }
}
