package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Waiting without a thread, giving up at any moment, and crowds of waiters: P12, P13, P14. */
abstract class AsyncCases {
    private static final Duration A_WHILE = Duration.ofMillis(150);
    private static final int CROWD = 10_000;
    private static final int RACES = 100;

    private final Fixture fixture;

    AsyncCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void asyncAcquireOfAFreeLockCompletes() throws Exception {
        String name = fixture.name();
        Lease lease = fixture.outcome(fixture.client().lock(name).acquireAsync());

        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void asyncWaiterIsServedWhenTheHolderReleases() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        CompletableFuture<Lease> waiter = fixture.client().lock(name).acquireAsync();
        assertThat(waiter).isNotDone();
        first.close();

        assertThat(fixture.outcome(waiter).token()).isGreaterThan(first.token());
    }

    @Test
    void asyncTimedWaitEndsEmptyWhenTheLockIsHeldAllTheTime() throws Exception {
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();

        assertThat(fixture.outcome(fixture.client().lock(name).tryAcquireAsync(A_WHILE)))
                .isEmpty();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void asyncTimedWaitIsServedWhenTheHolderReleasesInTime() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        CompletableFuture<Optional<Lease>> waiter = fixture.client().lock(name).tryAcquireAsync(fixture.patience());
        first.close();

        assertThat(fixture.outcome(waiter)).isPresent();
    }

    @Test
    void asyncWaitOfNoTimeTriesOnce() throws Exception {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name);
        Lease held = fixture.client().lock(name).acquire();

        assertThat(fixture.outcome(lock.tryAcquireAsync(Duration.ZERO))).isEmpty();
        held.close();
        assertThat(fixture.outcome(lock.tryAcquireAsync(Duration.ZERO))).isPresent();
    }

    @Test
    void cancelledWaiterLeavesTheLine() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        CompletableFuture<Lease> cancelled = fixture.client().lock(name).acquireAsync();
        CompletableFuture<Lease> behind = fixture.client().lock(name).acquireAsync();
        assertThat(cancelled.cancel(false)).isTrue();
        first.close();

        assertThat(fixture.outcome(behind).isHeld()).isTrue();
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void cancelledWaiterIsGoneFromTheStore() throws Exception {
        fixture.needs(Promise.SEES_WAITERS);
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        CompletableFuture<Lease> cancelled = fixture.client().lock(name).acquireAsync();
        fixture.untilWaiters(name, 1);
        cancelled.cancel(false);

        fixture.untilWaiters(name, 0);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void cancelledHeadOfAClientsLineLetsTheNextOfThatClientMoveUp() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        Holdfast client = fixture.client();
        CompletableFuture<Lease> head = client.lock(name).acquireAsync();
        CompletableFuture<Lease> next = client.lock(name).acquireAsync();
        head.cancel(false);
        first.close();

        assertThat(fixture.outcome(next).isHeld()).isTrue();
    }

    @Test
    void waiterWhoseFutureIsCompletedBySomebodyElseLeavesTheLine() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        CompletableFuture<Lease> timedOut =
                fixture.client().lock(name).acquireAsync().orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(() -> fixture.outcome(timedOut)).isInstanceOf(TimeoutException.class);
        first.close();

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void cancellingAtAnyMomentNeverLosesTheLock() throws Exception {
        String name = fixture.name();
        DistributedLock mine = fixture.client().lock(name);
        DistributedLock theirs = fixture.client().lock(name);
        for (int i = 0; i < RACES; i++) {
            Lease held = mine.tryAcquire(fixture.patience()).orElseThrow();
            CompletableFuture<Lease> waiter = theirs.acquireAsync();
            Task<Boolean> cancelling = fixture.start(() -> waiter.cancel(false));
            held.close();
            if (!cancelling.result()) {
                waiter.join().close();
            }
        }

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void interruptingAtAnyMomentNeverLosesTheLock() throws Exception {
        String name = fixture.name();
        DistributedLock mine = fixture.client().lock(name);
        DistributedLock theirs = fixture.client().lock(name);
        for (int i = 0; i < RACES; i++) {
            Lease held = mine.tryAcquire(fixture.patience()).orElseThrow();
            Task<Boolean> waiter = fixture.start(() -> {
                try (Lease lease = theirs.acquire()) {
                    return lease.isHeld();
                } catch (InterruptedException expected) {
                    return true;
                }
            });
            held.close();
            waiter.interrupt();
            assertThat(waiter.result()).isTrue();
        }

        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void asyncWaitersOfOneClientAreServedInOrderOfTheirCalls() throws Exception {
        DistributedLock lock = fixture.client().lock(fixture.name());
        Lease first = lock.acquire();
        List<CompletableFuture<Long>> waiters = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            waiters.add(lock.acquireAsync().thenApply(AsyncCases::tokenOfReleased));
        }
        first.close();
        List<Long> tokens = new ArrayList<>();
        for (CompletableFuture<Long> waiter : waiters) {
            tokens.add(fixture.outcome(waiter));
        }

        assertThat(tokens).doesNotHaveDuplicates().isSorted().first().matches(token -> token > first.token());
    }

    @Test
    void virtualThreadsOfOneClientAreServedInOrderOfArrival() throws Exception {
        Threads.startVirtual(() -> {}).join();
        DistributedLock lock = fixture.client().lock(fixture.name());
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(CROWD);
        Lease first = lock.acquire();
        for (int i = 0; i < CROWD; i++) {
            int arrival = i;
            Thread waiter = Threads.startVirtual(() -> {
                try {
                    lock.run(lease -> served.add(arrival));
                    done.countDown();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            });
            Threads.untilWaiting(waiter, fixture.patience());
        }
        first.close();

        assertThat(done.await(fixture.patience().toSeconds(), TimeUnit.SECONDS))
                .as("all are served; %d were", served.size())
                .isTrue();
        assertThat(served).hasSize(CROWD).isSorted();
    }

    private static long tokenOfReleased(Lease lease) {
        try (lease) {
            return lease.token();
        }
    }
}
