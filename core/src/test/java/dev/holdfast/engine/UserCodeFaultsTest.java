package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever user code does (executors, listeners, callbacks), the engine goes on. */
class UserCodeFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final LockOptions OPTIONS = LockOptions.defaults();

    private enum Awkward implements Executor {
        REJECTS {
            @Override
            public void execute(Runnable task) {
                throw new RejectedExecutionException("full");
            }
        },
        THROWS_AN_ERROR {
            @Override
            public void execute(Runnable task) {
                throw new AssertionError("broken");
            }
        },
        RUNS_ON_THE_CALLER {
            @Override
            public void execute(Runnable task) {
                task.run();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Awkward.class)
    void anAwkwardExecutorNeverBringsUserCodeToTheTimerThread(Awkward executor) throws InterruptedException {
        AtomicInteger renewals = new AtomicInteger();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch unstick = new CountDownLatch(1);
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new DelegatingStore.CountingRenewals("awkward", context, renewals))
                .listener(event -> threads.add(Thread.currentThread().getName()))
                .callbackExecutor(executor)
                .build()) {
            Lease innocent = locks.lock("innocent", OPTIONS.withLeaseTime(Duration.ofSeconds(2)))
                    .acquire();
            CompletableFuture<Optional<Lease>> tooLong = locks.lock("innocent").tryAcquireAsync(Duration.ofMillis(100));
            CompletableFuture<Void> noted = tooLong.thenAccept(
                    outcome -> threads.add(Thread.currentThread().getName()));
            Lease limited = locks.lock("limited", OPTIONS.withMaxHold(Duration.ofMillis(500)))
                    .acquire();
            limited.onLost(reason -> {
                threads.add(Thread.currentThread().getName());
                stuck.countDown();
                Outcomes.awaitQuietly(unstick);
            });
            await().atMost(LIMIT).until(() -> stuck.getCount() == 0 && noted.isDone());
            int before = renewals.get();
            await().atMost(LIMIT).until(() -> renewals.get() >= before + 2);
            assertThat(innocent.isHeld()).isTrue();
            unstick.countDown();
            assertThat(threads).isNotEmpty().noneMatch(name -> name.matches(".*-(time|store-\\d+|renewal-\\d+)"));
        }
    }

    @Test
    void anExecutorThatFailsOnceNeitherHangsAFutureNorStopsOtherClaims() throws InterruptedException {
        AtomicBoolean failNow = new AtomicBoolean();
        Executor failsOnce = task -> {
            if (failNow.getAndSet(false)) {
                throw new IllegalStateException("once");
            }
            ForkJoinPool.commonPool().execute(task);
        };
        try (Holdfast others = Holdfast.connect("memory:fails-once");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new DelegatingStore.SlowlyPolled("fails-once", context))
                        .callbackExecutor(failsOnce)
                        .build()) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d")) {
                held.add(others.lock(name).acquire());
                waits.add(locks.lock(name).acquireAsync());
            }
            await().atMost(LIMIT)
                    .until(() -> others.list("", 10).stream()
                            .allMatch(seen -> !seen.waiters().isEmpty()));
            failNow.set(true);
            held.get(0).close();
            await().atMost(LIMIT).until(() -> !failNow.get());
            assertThat(waits.get(0)).succeedsWithin(LIMIT);
            held.forEach(Lease::close);
            assertThat(waits).allSatisfy(wait -> assertThat(wait).succeedsWithin(LIMIT));
        }
    }

    @Test
    void anErrorFromTheListenerDoesNotStopLaterEvents() throws InterruptedException {
        List<HoldfastEvent> events = new CopyOnWriteArrayList<>();
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(event -> {
                    events.add(event);
                    throw new AssertionError("always");
                })
                .build()) {
            for (int i = 0; i < 10; i++) {
                locks.lock("a").acquire().close();
                int told = 2 * (i + 1);
                await().atMost(LIMIT).until(() -> events.size() == told);
            }
        }
    }

    @Test
    void noReleaseIsToldBeforeItsAcquisition() throws InterruptedException {
        int threads = 8;
        int rounds = 2_000;
        Set<Long> acquired = ConcurrentHashMap.newKeySet();
        AtomicInteger outOfOrder = new AtomicInteger();
        AtomicInteger released = new AtomicInteger();
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(event -> {
                    if (event instanceof HoldfastEvent.Acquired begun) {
                        acquired.add(begun.token());
                    } else if (event instanceof HoldfastEvent.Released over) {
                        outOfOrder.addAndGet(acquired.remove(over.token()) ? 0 : 1);
                        released.incrementAndGet();
                    }
                })
                .build()) {
            List<Thread> users = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread user = new Thread(() -> {
                    for (int round = 0; round < rounds; round++) {
                        try {
                            locks.lock("busy").acquire().close();
                        } catch (InterruptedException hurried) {
                            return;
                        }
                    }
                });
                user.start();
                users.add(user);
            }
            for (Thread user : users) {
                user.join();
            }
            await().atMost(LIMIT).until(() -> released.get() == threads * rounds);
            assertThat(outOfOrder).hasValue(0);
        }
    }

    @Test
    void aCandidateIsElectedOnceTheNameIsNoLongerASemaphore() throws InterruptedException {
        List<HoldfastEvent> events = new CopyOnWriteArrayList<>();
        try (Holdfast locks =
                        Holdfast.builder().url("memory:").listener(events::add).build();
                Election election = locks.election("office")) {
            Lease permit = locks.semaphore("office", 2).permits(1).acquire();
            election.campaign(lease -> {}, reason -> {});
            await().atMost(LIMIT)
                    .until(() -> events.stream().anyMatch(HoldfastEvent.StoreFailed.class::isInstance)
                            || election.isLeader());
            permit.close();
            await().atMost(LIMIT).until(election::isLeader);
        }
    }

    @Test
    void nobodyIsToldOfADepositionAfterResigning() {
        List<LossReason> depositions = new CopyOnWriteArrayList<>();
        CountDownLatch inOffice = new CountDownLatch(1);
        CountDownLatch stepDown = new CountDownLatch(1);
        AtomicInteger terms = new AtomicInteger();
        List<Thread> callbackThreads = new CopyOnWriteArrayList<>();
        try (Holdfast locks = Holdfast.connect("memory:");
                Election election = locks.election("office")) {
            election.campaign(
                    lease -> {
                        terms.incrementAndGet();
                        callbackThreads.add(Thread.currentThread());
                        inOffice.countDown();
                        Outcomes.awaitQuietly(stepDown);
                    },
                    depositions::add);
            await().atMost(LIMIT).until(() -> inOffice.getCount() == 0);
            assertThat(locks.evict("office", "test")).isEqualTo(1);
            await().atMost(LIMIT).until(() -> !election.isLeader());
            election.resign();
            stepDown.countDown();
            CompletableFuture<Lease> next = locks.lock("office").acquireAsync();
            assertThat(next).succeedsWithin(LIMIT);
            await().atMost(LIMIT).until(() -> callbackThreads.stream().noneMatch(Thread::isAlive));
            assertThat(depositions).isEmpty();
            assertThat(terms).hasValue(1);
        }
    }
}
