package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeasedLock;
import dev.holdfast.LockView;
import dev.holdfast.SelfDeadlockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The thread-owned, re-entrant view: all of {@link Lock}'s contract, and what happens to it on loss. P6. */
@SuppressWarnings(
        "LockNotBeforeTry") // Locking and unlocking are what is tested; the fixture frees what a failure leaves.
abstract class JavaLockCases {
    private static final int THREADS_PER_CLIENT = 3;
    private static final int ROUNDS_PER_THREAD = 25;

    private final Fixture fixture;

    /** Guarded by the lock under test and by nothing else. */
    private int unprotectedCount;

    JavaLockCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void lockedViewExcludesOtherThreadsAndClientsUntilUnlocked() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lock lock = client.lock(name).asLock();
        Holdfast other = fixture.client();
        lock.lock();
        assertThat(fixture.start(lock::tryLock).result()).isFalse();
        assertThat(other.lock(name).asLock().tryLock()).isFalse();
        assertThat(other.lock(name).tryAcquire()).isEmpty();
        lock.unlock();

        assertThat(other.lock(name).asLock().tryLock()).isTrue();
        other.lock(name).asLock().unlock();
    }

    @Test
    void viewsOfManyThreadsAndClientsNeverOverlap() throws Exception {
        String name = fixture.name();
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (Holdfast client : List.of(fixture.client(), fixture.client())) {
            for (int i = 0; i < THREADS_PER_CLIENT; i++) {
                tasks.add(fixture.run(() -> countUp(client.lock(name).asLock())));
            }
        }
        for (Task<Boolean> task : tasks) {
            task.result();
        }

        assertThat(unprotectedCount).isEqualTo(2 * THREADS_PER_CLIENT * ROUNDS_PER_THREAD);
    }

    @Test
    void nestedLockingIsFreedByTheLastUnlockOnly() throws Exception {
        String name = fixture.name();
        Lock lock = fixture.client().lock(name).asLock();
        Holdfast other = fixture.client();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.lockInterruptibly();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        for (int left = 3; left > 0; left--) {
            lock.unlock();
            assertThat(other.lock(name).tryAcquire()).as("held %d times", left).isEmpty();
        }
        lock.unlock();

        assertThat(other.lock(name).tryAcquire()).isPresent();
    }

    @Test
    void nestedLockingCostsNoRequestAndKeepsTheToken() throws Exception {
        String name = fixture.name();
        Fixture.Linked linked = fixture.linkedClient();
        Lock lock = linked.client().lock(name).asLock();
        lock.lock();
        long token = storedToken(name);
        int before = linked.link().calls(Link.Step.ACQUIRE);
        lock.lock();

        assertThat(linked.link().calls(Link.Step.ACQUIRE)).isEqualTo(before);
        assertThat(storedToken(name)).isEqualTo(token);
        lock.unlock();
        lock.unlock();
        assertThat(linked.link().calls(Link.Step.RELEASE)).isEqualTo(1);
    }

    @Test
    void viewsOfOneNameShareOwnershipWithinAClient() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        client.lock(name).asLock().lock();
        assertThat(client.lock(name).asLock().tryLock()).isTrue();
        client.lock(name).asLock().unlock();
        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        client.lock(name).asLock().unlock();

        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void onlyTheOwningThreadMayUnlock() throws Exception {
        Lock lock = fixture.client().lock(fixture.name()).asLock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        Task<Boolean> stranger = fixture.run(lock::unlock);
        assertThatThrownBy(stranger::result).isInstanceOf(IllegalMonitorStateException.class);

        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void waitingLockIsServedWhenTheOwnerUnlocks() throws Exception {
        Lock lock = fixture.client().lock(fixture.name()).asLock();
        lock.lock();
        Task<Boolean> waiter = fixture.run(() -> {
            lock.lock();
            lock.unlock();
        });
        waiter.untilWaiting();
        assertThat(waiter.isDone()).isFalse();
        lock.unlock();

        assertThat(waiter.result()).isTrue();
    }

    @Test
    void timedTryEndsFalseAndNotEarlyWhenTheLockIsHeldAllTheTime() throws Exception {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Lock lock = fixture.client().lock(name).asLock();
        long start = System.nanoTime();
        boolean locked = lock.tryLock(100, TimeUnit.MILLISECONDS);
        long waited = System.nanoTime() - start;

        assertThat(locked).isFalse();
        assertThat(Duration.ofNanos(waited)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void timedTryOfNoTimeTriesOnce() throws Exception {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Lock lock = fixture.client().lock(name).asLock();

        assertThat(lock.tryLock(0, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(lock.tryLock(-1, TimeUnit.MILLISECONDS)).isFalse();
        held.close();
        assertThat(lock.tryLock(-1, TimeUnit.MILLISECONDS)).isTrue();
        lock.unlock();
    }

    @Test
    void interruptEndsTheInterruptibleWaits() throws Exception {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Lock lock = fixture.client().lock(name).asLock();
        for (Fixture.Work wait :
                List.<Fixture.Work>of(lock::lockInterruptibly, () -> lock.tryLock(1, TimeUnit.HOURS))) {
            Task<Boolean> waiter = fixture.run(wait);
            waiter.untilWaiting();
            waiter.interrupt();
            assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
        }
        held.close();

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void interruptBeforeAnInterruptibleWaitIsNoticedEvenIfTheLockIsFree() throws Exception {
        String name = fixture.name();
        Lock lock = fixture.client().lock(name).asLock();
        for (Fixture.Work wait :
                List.<Fixture.Work>of(lock::lockInterruptibly, () -> lock.tryLock(1, TimeUnit.HOURS))) {
            Task<Boolean> waiter = fixture.run(() -> {
                Thread.currentThread().interrupt();
                wait.run();
            });
            assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
        }

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void plainLockWaitsThroughInterruptsAndKeepsThemForLater() throws Exception {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Lock lock = fixture.client().lock(name).asLock();
        Task<Boolean> waiter = fixture.start(() -> {
            lock.lock();
            boolean interrupted = Thread.interrupted();
            lock.unlock();
            return interrupted;
        });
        waiter.untilWaiting();
        waiter.interrupt();
        waiter.untilWaiting();
        assertThat(waiter.isDone()).isFalse();
        held.close();

        assertThat(waiter.result()).isTrue();
    }

    @Test
    void conditionsAreNotSupported() {
        Lock lock = fixture.client().lock(fixture.name()).asLock();

        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void waitingForALockThatTheThreadItselfHoldsIsNoticed() {
        Holdfast client = fixture.client();
        String name = fixture.name();
        Lock lock = client.lock(name).asLock();
        lock.lock();

        assertThatThrownBy(() -> client.lock(name).acquire()).isInstanceOf(SelfDeadlockException.class);
        assertThatThrownBy(() -> client.lock(name).tryAcquire(fixture.patience()))
                .isInstanceOf(SelfDeadlockException.class);
        assertThat(client.lock(name).tryAcquire()).isEmpty();
        lock.unlock();
    }

    @Test
    void lostLockCannotBeEnteredAgainOrUnlockedUnnoticed() {
        String name = fixture.name();
        Lock lock = fixture.client().lock(name, fixture.renewed()).asLock();
        lock.lock();
        assertThat(fixture.observer().evict(name, "the contract suite wants it"))
                .isEqualTo(1);
        fixture.await()
                .untilAsserted(() -> assertThatThrownBy(() -> nest(lock)).isInstanceOf(LeaseLostException.class));

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        lock.lock();
        lock.unlock();
    }

    @Test
    void nestedUnlockOfALostLockIsToldAndCountsDown() {
        String name = fixture.name();
        LeasedLock lock = fixture.client().lock(name, fixture.renewed()).asLock();
        lock.lock();
        lock.lock();
        assertThat(fixture.observer().evict(name, "the contract suite wants it"))
                .isEqualTo(1);
        fixture.await().until(() -> !lock.isHeldByCurrentThread());
        assertThat(lock.holdCount()).isEqualTo(2);

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.holdCount()).isZero();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void viewShowsTheLeaseOfItsThread() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        LeasedLock lock = client.lock(name).asLock();
        assertThat(lock.lease()).isEmpty();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        Lease lease = lock.lease().orElseThrow();
        lock.lock();

        assertThat(lease.token()).isEqualTo(storedToken(name));
        assertThat(client.lock(name).asLock().lease().orElseThrow().token())
                .as("nested entries share the token")
                .isEqualTo(lease.token());
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(fixture.start(() -> lock.lease().isEmpty() && lock.holdCount() == 0 && !lock.isHeldByCurrentThread())
                        .result())
                .as("another thread holds nothing")
                .isTrue();
        lock.unlock();
        assertThat(lease.isHeld()).isTrue();
        lock.unlock();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lock.lease()).isEmpty();
    }

    @Test
    void leaseOfAViewCannotBeReleasedPastItsEntries() throws Exception {
        String name = fixture.name();
        LeasedLock lock = fixture.client().lock(name).asLock();
        lock.lock();
        Lease lease = lock.lease().orElseThrow();

        for (ThrowingCallable release : List.<ThrowingCallable>of(lease::close, lease::release, lease::releaseAsync)) {
            assertThatThrownBy(release)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("unlock()");
        }
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    private static void nest(Lock lock) {
        lock.lock();
        lock.unlock();
    }

    private void countUp(Lock lock) {
        for (int i = 0; i < ROUNDS_PER_THREAD; i++) {
            lock.lock();
            try {
                int seen = unprotectedCount;
                Threads.giveWay();
                unprotectedCount = seen + 1;
            } finally {
                lock.unlock();
            }
        }
    }

    private long storedToken(String name) {
        return fixture.observer().inspect(name).map(LockView::holders).orElse(List.of()).stream()
                .mapToLong(LockView.Holder::token)
                .findFirst()
                .orElseThrow();
    }
}
