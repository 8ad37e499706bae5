package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A lock that stays inside one client: handed from thread to thread, or kept for the next use. P4, P6. */
abstract class HandOffCases {
    private static final Duration LONG = Duration.ofHours(1);
    private static final int THREADS = 4;

    private final Fixture fixture;

    HandOffCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void handedOnLockNeedsNoRequestAndHasALargerTokenEachTime() throws Exception {
        fixture.needs(Promise.SEES_WAITERS);
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.listener(events::add));
        DistributedLock lock = linked.client().lock(fixture.name());
        Lease first = lock.acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiters.add(lock.acquireAsync());
        }
        List<Long> tokens = new ArrayList<>(List.of(first.token()));
        first.close();
        for (CompletableFuture<Lease> waiter : waiters) {
            try (Lease lease = fixture.outcome(waiter)) {
                tokens.add(lease.token());
            }
        }

        assertThat(tokens).doesNotHaveDuplicates().isSorted();
        assertThat(linked.link().calls(Link.Step.ACQUIRE))
                .as("requests for 51 leases")
                .isEqualTo(1);
        fixture.await().until(() -> acquiredFrom(events, Source.HAND_OFF) == waiters.size());
    }

    @Test
    void leaseThatWasHandedOnIsOverForItsFormerHolder() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease first = client.lock(name).acquire();
        CompletableFuture<Lease> waiter = client.lock(name).acquireAsync();
        first.close();
        Lease second = fixture.outcome(waiter);

        assertThat(first.isHeld()).isFalse();
        assertThat(first.release()).isFalse();
        assertThat(second.isHeld()).isTrue();
        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(second.release()).isTrue();
    }

    @Test
    void clientThatNeverRunsDryOfThreadsDoesNotStarveAnother() throws Exception {
        starve(fixture.calm());
    }

    @Test
    void clientThatMayNotHandOnWhileWantedDoesNotStarveAnother() throws Exception {
        starve(fixture.calm().withTurn(Duration.ZERO));
    }

    @Test
    void stickyLockIsTakenAgainWithoutARequestAndWithALargerToken() throws Exception {
        fixture.needs(Promise.SEES_WAITERS);
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.listener(events::add));
        DistributedLock lock =
                linked.client().lock(fixture.name(), fixture.calm().withStickyFor(LONG));
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tokens.add(use(lock));
        }

        assertThat(tokens).doesNotHaveDuplicates().isSorted();
        assertThat(linked.link().calls(Link.Step.ACQUIRE)).isEqualTo(1);
        assertThat(linked.link().calls(Link.Step.RELEASE)).isZero();
        fixture.await().until(() -> acquiredFrom(events, Source.STICKY) == 19);
    }

    @Test
    void stickyLockIsGivenUpWhenAnotherClientWaitsForIt() throws Exception {
        String name = fixture.name();
        Holdfast keeper = fixture.client();
        LockOptions sticky = fixture.calm().withStickyFor(LONG);
        long token = use(keeper.lock(name, sticky));

        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(token);
        assertThat(use(keeper.lock(name, sticky))).isGreaterThan(token);
    }

    @Test
    void stickyLockIsGivenUpWhenAnotherClientWaitedAlreadyDuringItsUse() throws Exception {
        String name = fixture.name();
        Lease used =
                fixture.client().lock(name, fixture.calm().withStickyFor(LONG)).acquire();
        CompletableFuture<Lease> waiter = fixture.client().lock(name).acquireAsync();
        used.close();

        assertThat(fixture.outcome(waiter).token()).isGreaterThan(used.token());
    }

    @Test
    void stickyLockIsGivenUpWhenItsTimeIsOver() throws Exception {
        String name = fixture.name();
        LockOptions sticky = fixture.calm().withStickyFor(Duration.ofMillis(50));
        long token = use(fixture.client().lock(name, sticky));
        Holdfast other = fixture.client();

        fixture.await()
                .untilAsserted(() -> assertThat(other.lock(name).tryAcquire())
                        .hasValueSatisfying(lease -> assertThat(lease.token()).isGreaterThan(token)));
    }

    @Test
    void stickyLockThatWasEvictedWhileIdleIsAskedForAnew() throws Exception {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name, fixture.renewed().withStickyFor(LONG));
        long token = use(lock);
        fixture.observer().evict(name, "the contract suite wants it");
        long next = fixture.takeInTheEnd(fixture.client(), name);

        assertThat(next).isGreaterThan(token);
        fixture.await().untilAsserted(() -> assertThat(use(lock)).isGreaterThan(next));
    }

    @Test
    void stickyLockThatRanOutWhileIdleIsAskedForAnew() throws Exception {
        fixture.needsLeases();
        String name = fixture.name();
        Fixture.Linked linked = fixture.linkedClient();
        DistributedLock lock = linked.client().lock(name, fixture.brief().withStickyFor(LONG));
        long token = use(lock);
        linked.link().cut();
        long between = fixture.takeInTheEnd(fixture.client(), name);
        linked.link().heal();

        assertThat(between).isGreaterThan(token);
        assertThat(use(lock)).isGreaterThan(between);
    }

    private void starve(LockOptions options) throws Exception {
        String name = fixture.name();
        Holdfast greedy = fixture.client();
        AtomicBoolean othersWereServed = new AtomicBoolean();
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            tasks.add(fixture.run(() -> {
                while (!othersWereServed.get()) {
                    greedy.lock(name, options).run(Lease::ensureHeld);
                }
            }));
        }
        Holdfast modest = fixture.client();
        for (int i = 0; i < 5; i++) {
            fixture.takeInTheEnd(modest, name);
        }
        othersWereServed.set(true);

        for (Task<Boolean> task : tasks) {
            assertThat(task.result()).isTrue();
        }
    }

    private static long use(DistributedLock lock) throws InterruptedException {
        try (Lease lease = lock.acquire()) {
            return lease.token();
        }
    }

    private static long acquiredFrom(Queue<HoldfastEvent> events, Source source) {
        return events.stream()
                .filter(event -> event instanceof HoldfastEvent.Acquired acquired && acquired.source() == source)
                .count();
    }
}
