package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Threads that try, wait for a while, wait without limit, are interrupted, and are served in order: P12, P13. */
abstract class WaitingCases {
    private static final Duration A_WHILE = Duration.ofMillis(150);

    private final Fixture fixture;

    WaitingCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void waiterOfAnotherClientIsServedWhenTheHolderReleases() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast other = fixture.client();
        Task<Lease> waiter = fixture.start(() -> other.lock(name).acquire());
        waiter.untilWaiting();
        assertThat(waiter.isDone()).isFalse();
        first.close();

        Lease second = waiter.result();
        assertThat(second.isHeld()).isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    void waiterOfTheSameClientIsServedWhenTheHolderReleases() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease first = client.lock(name).acquire();
        Task<Lease> waiter = fixture.start(() -> client.lock(name).acquire());
        waiter.untilWaiting();
        assertThat(waiter.isDone()).isFalse();
        first.close();

        assertThat(waiter.result().token()).isGreaterThan(first.token());
    }

    @Test
    void timedWaitEndsEmptyAndNotEarlyWhenTheLockIsHeldAllTheTime() throws InterruptedException {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        Holdfast other = fixture.client();
        long start = System.nanoTime();
        Optional<Lease> lease = other.lock(name).tryAcquire(A_WHILE);
        long waited = System.nanoTime() - start;

        assertThat(lease).isEmpty();
        assertThat(Duration.ofNanos(waited)).isGreaterThanOrEqualTo(A_WHILE);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void timedWaitBehindAThreadOfTheSameClientEndsEmpty() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease held = client.lock(name).acquire();

        assertThat(fixture.start(() -> client.lock(name).tryAcquire(A_WHILE)).result())
                .isEmpty();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void timedWaitIsServedWhenTheHolderReleasesInTime() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast other = fixture.client();
        Task<Optional<Lease>> waiter = fixture.start(() -> other.lock(name).tryAcquire(fixture.patience()));
        waiter.untilWaiting();
        first.close();

        assertThat(waiter.result()).isPresent();
    }

    @Test
    void waitOfNoTimeIsATry() throws InterruptedException {
        String name = fixture.name();
        Holdfast other = fixture.client();
        Lease held = fixture.client().lock(name).acquire();

        assertThat(other.lock(name).tryAcquire(Duration.ZERO)).isEmpty();
        held.close();
        assertThat(other.lock(name).tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void tryBehindAWaiterOfItsOwnClientIsRefused() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease first = client.lock(name).acquire();
        Task<Lease> waiter = fixture.start(() -> client.lock(name).acquire());
        waiter.untilWaiting();
        assertThat(client.lock(name).tryAcquire()).isEmpty();
        first.close();
        waiter.result().close();

        assertThat(client.lock(name).tryAcquire()).isPresent();
    }

    @Test
    void waiterThatTimesOutDoesNotBlockThoseBehindIt() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast impatient = fixture.client();
        Holdfast patient = fixture.client();
        Task<Optional<Lease>> ahead = fixture.start(() -> impatient.lock(name).tryAcquire(A_WHILE));
        ahead.untilWaiting();
        Task<Lease> behind = fixture.start(() -> patient.lock(name).acquire());
        behind.untilWaiting();
        assertThat(ahead.result()).isEmpty();
        first.close();

        assertThat(behind.result().isHeld()).isTrue();
    }

    @Test
    void localWaiterThatTimesOutDoesNotBlockThoseBehindIt() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast client = fixture.client();
        Task<Optional<Lease>> ahead = fixture.start(() -> client.lock(name).tryAcquire(A_WHILE));
        ahead.untilWaiting();
        Task<Lease> behind = fixture.start(() -> client.lock(name).acquire());
        behind.untilWaiting();
        assertThat(ahead.result()).isEmpty();
        first.close();

        assertThat(behind.result().isHeld()).isTrue();
    }

    @Test
    void interruptedWaiterHoldsNothing() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast other = fixture.client();
        Task<Lease> waiter = fixture.start(() -> other.lock(name).acquire());
        waiter.untilWaiting();
        waiter.interrupt();
        assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
        first.close();

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void interruptedTimedWaiterHoldsNothing() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast other = fixture.client();
        Task<Optional<Lease>> waiter = fixture.start(() -> other.lock(name).tryAcquire(fixture.patience()));
        waiter.untilWaiting();
        waiter.interrupt();
        assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
        first.close();

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void threadThatIsInterruptedBeforeTheCallIsRefusedAndHoldsNothing() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        for (Fixture.Work wait : List.<Fixture.Work>of(
                () -> client.lock(name).acquire(), () -> client.lock(name).tryAcquire(A_WHILE))) {
            Task<Boolean> interrupted = fixture.run(() -> {
                Thread.currentThread().interrupt();
                wait.run();
            });
            assertThatThrownBy(interrupted::result).isInstanceOf(InterruptedException.class);
        }

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void tryLeavesTheInterruptStatusAlone() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease held = fixture.client().lock(name).acquire();
        Task<Boolean> tried = fixture.start(() -> {
            Thread.currentThread().interrupt();
            assertThat(client.lock(name).tryAcquire()).isEmpty();
            return Thread.interrupted();
        });

        assertThat(tried.result()).isTrue();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void threadsOfOneClientAreServedInOrderOfArrival() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease first = client.lock(name).acquire();
        List<Task<Long>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Task<Long> waiter = fixture.start(() -> client.lock(name).call(Lease::token));
            waiter.untilWaiting();
            waiters.add(waiter);
        }
        first.close();

        assertThat(tokensOf(waiters)).doesNotHaveDuplicates().isSorted().allMatch(token -> token > first.token());
    }

    @Test
    void clientsAreServedInOrderOfArrival() throws Exception {
        fixture.needs(Promise.FAIR, Promise.SEES_WAITERS);
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        List<Task<Long>> waiters = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Holdfast client = fixture.client();
            waiters.add(fixture.start(() -> client.lock(name).call(Lease::token)));
            fixture.untilWaiters(name, i);
        }
        first.close();

        assertThat(tokensOf(waiters)).doesNotHaveDuplicates().isSorted().allMatch(token -> token > first.token());
    }

    @Test
    void tryDoesNotOvertakeAWaiterOfAnotherClient() throws Exception {
        fixture.needs(Promise.FAIR, Promise.SEES_WAITERS);
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast patient = fixture.client();
        Task<Lease> waiter = fixture.start(() -> patient.lock(name).acquire());
        fixture.untilWaiters(name, 1);
        first.close();

        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(waiter.result().isHeld()).isTrue();
    }

    private static List<Long> tokensOf(List<Task<Long>> waiters) throws Exception {
        List<Long> tokens = new ArrayList<>();
        for (Task<Long> waiter : waiters) {
            tokens.add(waiter.result());
        }
        return tokens;
    }
}
