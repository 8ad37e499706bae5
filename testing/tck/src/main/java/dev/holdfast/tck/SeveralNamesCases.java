package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks over several names: all or nothing, without deadlock, a token each. */
abstract class SeveralNamesCases {
    private static final int ROUNDS_PER_THREAD = 25;

    private final Fixture fixture;
    private final String a;
    private final String b;
    private final String c;

    SeveralNamesCases(Fixture fixture) {
        this.fixture = fixture;
        String base = fixture.name();
        this.a = base + "/a";
        this.b = base + "/b";
        this.c = base + "/c";
    }

    @BeforeEach
    void needsSeveralNames() {
        fixture.needs(Promise.SEVERAL_NAMES);
    }

    @Test
    void leaseOverSeveralNamesTellsThemSortedWithATokenEach() throws InterruptedException {
        Lease lease = fixture.client().all(c, a, b).acquire();

        assertThat(lease.names()).containsExactly(a, b, c);
        assertThat(lease.name()).isEqualTo(a + "," + b + "," + c);
        assertThat(List.of(lease.token(a), lease.token(b), lease.token(c))).allMatch(token -> token > 0);
        assertThatThrownBy(lease::token).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lease.token("other")).isInstanceOf(IllegalArgumentException.class);
        assertThat(lease.isExclusive()).isTrue();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void eachNameIsTakenAndEachIsFreedAgain() throws InterruptedException {
        Holdfast other = fixture.client();
        Lease lease = fixture.client().all(a, b, c).acquire();
        for (String name : List.of(a, b, c)) {
            assertThat(other.lock(name).tryAcquire()).as(name).isEmpty();
        }
        lease.close();

        for (String name : List.of(a, b, c)) {
            assertThat(other.lock(name).tryAcquire()).as(name).isPresent();
        }
    }

    @Test
    void oneTakenNameRefusesAllAndLeavesTheOthersFree() throws InterruptedException {
        Holdfast client = fixture.client();
        Holdfast other = fixture.client();
        Lease held = client.lock(b).acquire();

        assertThat(other.all(a, b, c).tryAcquire()).isEmpty();
        assertThat(client.lock(a).tryAcquire()).isPresent();
        assertThat(client.lock(c).tryAcquire()).isPresent();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void timedWaitForAllEndsEmptyAndLeavesTheOthersFree() throws InterruptedException {
        Lease held = fixture.client().lock(b).acquire();
        Holdfast other = fixture.client();
        assertThat(other.all(a, b, c).tryAcquire(Duration.ofMillis(100))).isEmpty();

        fixture.takeInTheEnd(fixture.client(), a);
        fixture.takeInTheEnd(fixture.client(), c);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void waiterForAllIsServedWhenTheLastNameIsFree() throws Exception {
        Lease first = fixture.client().lock(a).acquire();
        Lease second = fixture.client().lock(c).acquire();
        CompletableFuture<Lease> waiter = fixture.client().all(a, b, c).acquireAsync();
        first.close();
        assertThat(waiter).isNotDone();
        second.close();

        Lease all = fixture.outcome(waiter);
        assertThat(all.token(a)).isGreaterThan(first.token());
        assertThat(all.token(c)).isGreaterThan(second.token());
    }

    @Test
    void waitersForSingleNamesAreServedWhenAllAreReleased() throws Exception {
        Lease all = fixture.client().all(a, b).acquire();
        CompletableFuture<Lease> first = fixture.client().lock(a).acquireAsync();
        CompletableFuture<Lease> second = fixture.client().lock(b).acquireAsync();
        all.close();

        assertThat(fixture.outcome(first).token()).isGreaterThan(all.token(a));
        assertThat(fixture.outcome(second).token()).isGreaterThan(all.token(b));
    }

    @Test
    void clientsThatNameThemInDifferentOrderDoNotDeadlock() throws Exception {
        Holdfast one = fixture.client();
        Holdfast other = fixture.client();
        List<DistributedLock> locks =
                List.of(one.all(a, b, c), other.all(c, b, a), one.all(b, c), other.all(c, a), one.lock(b));
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (DistributedLock lock : locks) {
            tasks.add(fixture.run(() -> {
                for (int i = 0; i < ROUNDS_PER_THREAD; i++) {
                    lock.run(Lease::ensureHeld);
                }
            }));
        }

        for (Task<Boolean> task : tasks) {
            assertThat(task.result()).isTrue();
        }
    }

    @Test
    void laterLeaseHasALargerTokenForEveryName() throws InterruptedException {
        Lease first = fixture.client().all(a, b).acquire();
        first.close();
        Lease second = fixture.client().all(b, a).acquire();

        assertThat(second.token(a)).isGreaterThan(first.token(a));
        assertThat(second.token(b)).isGreaterThan(first.token(b));
    }

    @Test
    void oneNameIsAllowedAndIsAnOrdinaryLock() throws InterruptedException {
        Lease lease = fixture.client().all(a).acquire();

        assertThat(lease.token()).isEqualTo(lease.token(a));
        assertThat(fixture.client().lock(a).tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
    }

    @Test
    void lossOfOneNameIsLossOfTheLeaseAndFreesTheOthers() throws InterruptedException {
        Lease lease = fixture.client().all(List.of(a, b), fixture.renewed()).acquire();
        assertThat(fixture.observer().evict(a, "the contract suite wants it")).isEqualTo(1);
        fixture.await().until(() -> !lease.isHeld());
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);

        assertThat(fixture.takeInTheEnd(fixture.client(), a)).isGreaterThan(lease.token(a));
        assertThat(fixture.takeInTheEnd(fixture.client(), b)).isGreaterThan(lease.token(b));
    }

    @Test
    void leaseOverSeveralNamesIsRenewed() throws InterruptedException {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        Lease lease = linked.client().all(List.of(a, b), fixture.renewed()).acquire();
        fixture.await()
                .until(() -> linked.link().renewals(a) >= 2 && linked.link().renewals(b) >= 2);

        assertThat(fixture.client().lock(a).tryAcquire()).isEmpty();
        assertThat(fixture.client().lock(b).tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // Locking and unlocking are what is tested.
    void viewOfSeveralNamesIsReentrant() {
        Lock lock = fixture.client().all(a, b).asLock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(fixture.client().lock(a).tryAcquire()).isEmpty();
        lock.unlock();

        assertThat(fixture.client().lock(a).tryAcquire()).isPresent();
    }
}
