package dev.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.fence.StaleTokenException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(HoldfastExtension.class)
@Timeout(60)
class TestLocksTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static <T> FutureTask<T> onItsOwnThread(java.util.concurrent.Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        new Thread(task, "code under test").start();
        return task;
    }

    @Test
    void aLeaseIsRenewedAsTimePasses(TestLocks locks, Holdfast client) throws InterruptedException {
        try (Lease lease = client.lock("a").acquire()) {
            locks.timePasses(Duration.ofDays(1));
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).isGreaterThan(LEASE.dividedBy(2));
            assertThat(locks.events().of(HoldfastEvent.Renewed.class)).hasSizeGreaterThan(8_000);
        }
        assertThat(locks.elapsed()).isEqualTo(Duration.ofDays(1));
        locks.events().assertReleased("a");
        locks.events().assertNothingLost();
    }

    @Test
    void aSilentStoreCostsTheLeaseAndNotAMomentEarlier(TestLocks locks, Holdfast client) throws InterruptedException {
        List<LossReason> told = new CopyOnWriteArrayList<>();
        Lease lease = client.lock("a").acquire();
        lease.onLost(told::add);
        locks.storeIsSilent();
        locks.timePasses(Duration.ofSeconds(29));
        assertThat(lease.isHeld()).isTrue();
        assertThat(told).isEmpty();
        locks.timePasses(Duration.ofSeconds(1));
        assertThat(lease.isHeld()).isFalse();
        assertThat(told).containsExactly(LossReason.EXPIRED);
        locks.events().assertLost("a", LossReason.EXPIRED);
        locks.events()
                .expect(
                        "a renewal without an answer",
                        event -> event instanceof HoldfastEvent.StoreFailed failed
                                && failed.operation().equals("renew"));
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aShortSilenceCostsNothing(TestLocks locks, Holdfast client) throws InterruptedException {
        Lease lease = client.lock("a").acquire();
        locks.storeIsSilent();
        locks.timePasses(Duration.ofSeconds(20));
        locks.storeAnswers();
        locks.timePasses(LEASE.multipliedBy(2));
        assertThat(lease.isHeld()).isTrue();
        locks.events().assertNothingLost();
        lease.close();
    }

    @Test
    void aLockIsLostNow(TestLocks locks, Holdfast client) throws InterruptedException {
        for (LossReason reason : List.of(LossReason.EXPIRED, LossReason.EVICTED, LossReason.SESSION_LOST)) {
            AtomicReference<LossReason> told = new AtomicReference<>();
            Lease lease = client.lock("a").acquire();
            lease.onLost(told::set);
            locks.lose("a", reason);
            assertThat(told).hasValue(reason);
            assertThat(lease.isHeld()).isFalse();
            locks.events().assertLost("a", reason);
            assertThat(locks.newClient("other").lock("a").tryAcquire().map(Lease::release))
                    .contains(true);
        }
    }

    @Test
    void whatIsNotHeldCannotBeLost(TestLocks locks, Holdfast client) throws InterruptedException {
        assertThatIllegalStateException().isThrownBy(() -> locks.lose("a")).withMessage("the client does not hold 'a'");
        client.lock("a").acquire().close();
        assertThatIllegalStateException().isThrownBy(() -> locks.lose("a"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.lose("a", LossReason.MAX_HOLD))
                .withMessageContaining("let time pass");
    }

    @Test
    void aStaleHolderIsFenced(TestLocks locks, Holdfast client) throws InterruptedException {
        FencedValue<String> value = locks.fencedValue("a", "empty");
        Lease stale = client.lock("a").acquire();
        value.write(stale, "first");
        value.assertNothingRefused();

        Lease other = locks.anotherClientTakes("a");
        assertThat(stale.isHeld()).isTrue();
        assertThat(other.token()).isGreaterThan(stale.token());
        value.write(other, "second");
        assertThatThrownBy(() -> value.write(stale, "third")).isInstanceOf(StaleTokenException.class);
        value.assertRefused(stale);
        assertThat(value.value()).isEqualTo("second");
        assertThat(value.accepted()).containsExactly(stale.token(), other.token());

        locks.timePasses(LEASE.dividedBy(2));
        assertThat(stale.isHeld()).isFalse();
        assertThat(other.isHeld()).isTrue();
        assertThatThrownBy(() -> value.assertRefused(other)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(value::assertNothingRefused).isInstanceOf(AssertionError.class);
    }

    @Test
    void anotherClientsLockIsWaitedForUntilItIsReleased(TestLocks locks, Holdfast client)
            throws InterruptedException, ExecutionException {
        Lease theirs = locks.anotherClientTakes("a");
        FutureTask<Lease> ours = onItsOwnThread(() -> client.lock("a").acquire());
        locks.awaitWaitingThreads(1);
        locks.timePasses(Duration.ofMinutes(5));
        assertThat(ours.isDone()).isFalse();
        theirs.close();
        ours.get().close();
        assertThat(locks.events().of(HoldfastEvent.Acquired.class))
                .singleElement()
                .satisfies(acquired -> assertThat(acquired.waited()).isEqualTo(Duration.ofMinutes(5)));
    }

    @RepeatedTest(20)
    void aTimedWaitEndsAtItsTime(TestLocks locks, Holdfast client) throws InterruptedException, ExecutionException {
        Lease unused = locks.anotherClientTakes("a");
        FutureTask<Optional<Lease>> ours = onItsOwnThread(() -> client.lock("a").tryAcquire(Duration.ofSeconds(10)));
        locks.awaitWaitingThreads(1);
        locks.timePasses(Duration.ofSeconds(9));
        locks.events().assertAcquired("a", 0);
        assertThat(locks.events().of(HoldfastEvent.NotAcquired.class)).isEmpty();
        locks.timePasses(Duration.ofSeconds(1));
        assertThat(locks.events().of(HoldfastEvent.NotAcquired.class))
                .singleElement()
                .satisfies(refused -> assertThat(refused.waited()).isEqualTo(Duration.ofSeconds(10)));
        assertThat(ours.get()).isEmpty();
    }

    @RepeatedTest(20)
    void anAttemptAtASilentStoreEndsAfterTheCommandTimeout(TestLocks locks, Holdfast client) {
        locks.storeIsSilent();
        FutureTask<Optional<Lease>> attempt =
                onItsOwnThread(() -> client.lock("a").tryAcquire());
        locks.awaitWaitingThreads(1);
        locks.timePasses(Duration.ofMillis(1_999));
        assertThat(locks.events().all()).isEmpty();
        locks.timePasses(Duration.ofMillis(1));
        assertThat(locks.events().of(HoldfastEvent.Failed.class)).hasSize(1);
        assertThatThrownBy(attempt::get).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aReleaseThatHangsDoesNotKeepTimeFromPassing(TestLocks locks, Holdfast client)
            throws InterruptedException, ExecutionException {
        Lease lease = client.lock("a").acquire();
        locks.storeIsSilent();
        FutureTask<Boolean> release = onItsOwnThread(lease::release);
        locks.awaitWaitingThreads(1);
        locks.timePasses(Duration.ofSeconds(2));
        assertThat(release.get()).isTrue();
        locks.storeAnswers();
        locks.timePasses(Duration.ofMinutes(1));
        assertThat(locks.newClient("other").lock("a").tryAcquire()).isPresent();
    }

    @Test
    void aStoreThatRefusesIsUnavailableAtOnce(TestLocks locks, Holdfast client) {
        locks.storeRefuses();
        assertThatThrownBy(() -> client.lock("a").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        locks.storeAnswers();
        assertThat(client.lock("a").tryAcquire()).isPresent();
        assertThat(locks.elapsed()).isZero();
    }

    @Test
    void futuresAreServedToo(TestLocks locks, Holdfast client) {
        Lease theirs = locks.anotherClientTakes("a");
        CompletableFuture<Optional<Lease>> late = client.lock("a").tryAcquireAsync(Duration.ofSeconds(5));
        CompletableFuture<Lease> ours = client.lock("a").acquireAsync();
        locks.timePasses(Duration.ofSeconds(5));
        assertThat(late).isCompletedWithValue(Optional.empty());
        theirs.close();
        locks.timePasses(Duration.ZERO);
        assertThat(ours).isCompleted();
    }

    @Test
    void aHoldThatIsTooLongEnds(TestLocks locks, Holdfast client) throws InterruptedException {
        LockOptions limited = LockOptions.defaults().withMaxHold(Duration.ofMinutes(2));
        Lease lease = client.lock("a", limited).acquire();
        locks.timePasses(Duration.ofSeconds(119));
        assertThat(lease.isHeld()).isTrue();
        locks.timePasses(Duration.ofSeconds(1));
        locks.events().assertLost("a", LossReason.MAX_HOLD);
    }

    @Test
    void timeCannotPassInsideACallback(TestLocks locks, Holdfast client) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Lease lease = client.lock("a").acquire();
        lease.onLost(reason -> {
            try {
                locks.timePasses(Duration.ofSeconds(1));
            } catch (IllegalStateException refused) {
                thrown.set(refused);
            }
        });
        locks.lose("a");
        assertThat(thrown.get()).hasMessageContaining("inside a callback");
    }

    @Test
    void aCallbackThatWaitsForALockDoesNotHoldUpTime(TestLocks locks, Holdfast client) throws InterruptedException {
        Lease unused = locks.anotherClientTakes("b");
        CountDownLatch gaveUp = new CountDownLatch(1);
        Lease lease = client.lock("a").acquire();
        lease.onLost(reason -> {
            try {
                if (client.lock("b").tryAcquire(Duration.ofSeconds(3)).isEmpty()) {
                    gaveUp.countDown();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        locks.lose("a");
        locks.timePasses(Duration.ofSeconds(3));
        assertThat(gaveUp.getCount()).isZero();
    }

    @Test
    void resettingEndsFaultsAndForgets(TestLocks locks, Holdfast client) {
        Lease theirs = locks.anotherClientTakes("a");
        assertThat(client.lock("a").tryAcquire()).isEmpty();
        Lease forgotten = client.lock("b").tryAcquire().orElseThrow();
        locks.storeRefuses();
        locks.reset();
        assertThat(theirs.isHeld()).isFalse();
        assertThat(forgotten.isHeld()).isFalse();
        assertThat(client.lock("b").tryAcquire()).isPresent();
        locks.reset();
        assertThat(locks.events().all()).isEmpty();
        assertThat(client.lock("a").tryAcquire()).isPresent();
        locks.events().assertAcquired("a", 1);
    }

    @Test
    void assertionsSayWhatHasHappened(TestLocks locks, Holdfast client) throws InterruptedException {
        client.lock("a").acquire().close();
        assertThatThrownBy(() -> locks.events().assertLost("a", LossReason.EXPIRED))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected 'a' to be lost (EXPIRED)")
                .hasMessageContaining("Released[lockName=a");
        assertThatThrownBy(() -> locks.events().assertAcquired("a", 2))
                .hasMessageContaining("acquired 2 times, but it was 1 times");
        assertThatThrownBy(() -> locks.events().assertReleased("b")).isInstanceOf(AssertionError.class);
    }
}
