package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.SelfDeadlockException;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.client.Client;
import dev.holdfast.engine.client.ClientThreads;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a slow, failing or forgetful store does to the engine, and what values the engine refuses. */
class StoreFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final LockOptions OPTIONS = LockOptions.defaults();

    @Test
    void aStoreThatFailsToCloseStillLetsTheThreadsEnd() {
        Holdfast locks = Holdfast.builder()
                .clientName("unclosable")
                .store(context -> new DelegatingStore("unclosable", context) {
                    @Override
                    public void close() {
                        super.close();
                        throw new IllegalStateException("does not close");
                    }
                })
                .build();
        assertThat(locks.lock("a").acquireAsync()).succeedsWithin(LIMIT);
        assertThatThrownBy(locks::close).isInstanceOf(IllegalStateException.class);
        await().atMost(LIMIT)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("holdfast-unclosable-")));
    }

    @Test
    void closingWithManyWaitsOnAHangingStoreDoesNotTakeOneTimeoutForEach() throws InterruptedException {
        int names = 40;
        Duration timeout = Duration.ofMillis(150);
        try (Holdfast holder = Holdfast.connect("memory:hanging")) {
            Holdfast locks = Holdfast.builder()
                    .commandTimeout(timeout)
                    .store(context -> new DelegatingStore("hanging", context) {
                        @Override
                        public void withdraw(Claim claim, boolean mayStillArrive) {
                            takeMillis(timeout.toMillis());
                            throw new StoreUnavailableException("withdraw", claim.describe(), null);
                        }
                    })
                    .build();
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            for (int i = 0; i < names; i++) {
                held.add(holder.lock("n" + i).acquire());
                waits.add(locks.lock("n" + i).acquireAsync());
            }
            await().atMost(LIMIT)
                    .until(() -> holder.list("n", names).stream()
                            .noneMatch(seen -> seen.waiters().isEmpty()));
            long before = System.nanoTime();
            locks.close();
            Duration took = Duration.ofNanos(System.nanoTime() - before);
            assertThat(took).isLessThan(timeout.multipliedBy(names).dividedBy(3));
            assertThat(waits).allMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(held).allMatch(Lease::isHeld);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void aGrantWhoseLossWasToldBeforeItsReplyIsNeverLent(String evicted) {
        AtomicLong lostEpoch = new AtomicLong();
        try (Holdfast other = Holdfast.connect("memory:overtaken-" + evicted);
                Holdfast locks = Holdfast.builder()
                        .store(context -> new DelegatingStore("overtaken-" + evicted, context) {
                            @Override
                            public AcquireOutcome tryAcquire(Claim claim) {
                                AcquireOutcome outcome = super.tryAcquire(claim);
                                if (outcome instanceof AcquireOutcome.Granted granted && lostEpoch.get() == 0) {
                                    lostEpoch.set(epochOf(evicted, granted));
                                    other.evict(evicted, "test");
                                }
                                return outcome;
                            }
                        })
                        .build()) {
            CompletableFuture<Lease> wait = locks.all("a", "b").acquireAsync();
            assertThat(wait).succeedsWithin(LIMIT).satisfies(lease -> {
                assertThat(lease.token(evicted)).isGreaterThanOrEqualTo(Grant.token(lostEpoch.get() + 1, 0));
                assertThat(lease.isHeld()).isTrue();
                assertThat(other.inspect("a").orElseThrow().holders()).hasSize(1);
                assertThat(other.inspect("b").orElseThrow().holders()).hasSize(1);
            });
        }
    }

    private static long epochOf(String name, AcquireOutcome.Granted granted) {
        return granted.grants().stream()
                .filter(grant -> grant.name().equals(name))
                .findFirst()
                .orElseThrow()
                .epoch();
    }

    /** Nothing happens on this client's timeline that is not due at once, so only a hint can wake the waiter. */
    @Test
    void withoutPushesAReleaseHintsTheLocalWaiterEvenIfTheGateOfItsGrantIsOutOfUse() throws InterruptedException {
        AtomicReference<LockStore> opened = new AtomicReference<>();
        ClientThreads threads = new ClientThreads("holdfast-hinted", LIMIT, true, opened::get, null);
        Surroundings real = threads.surroundings();
        Timeline onlyAtOnce = new Timeline() {
            @Override
            public void schedule(Timed timed, long dueNanos) {
                if (dueNanos <= real.clock().nanos()) {
                    real.timeline().schedule(timed, dueNanos);
                }
            }

            @Override
            public void cancel(Timed timed) {
                real.timeline().cancel(timed);
            }
        };
        Surroundings surroundings = new Surroundings(
                real.clock(),
                onlyAtOnce,
                real.calls(),
                real.callbacks(),
                real.callbacks(),
                real.signals(),
                real.random(),
                real.owners(),
                LIMIT,
                true);
        try (Client locks = Client.open(
                "hinted",
                surroundings,
                listener -> {
                    LockStore store = new Unpushed(new StoreContext(
                            "hinted",
                            real.clock(),
                            threads.storeScheduler(),
                            threads.storeExecutor(),
                            LIMIT,
                            real.random(),
                            listener));
                    opened.set(store);
                    return store;
                },
                OPTIONS,
                null,
                threads::close)) {
            // So many that further gates go out of use as soon as they are idle.
            for (int i = 0; i < 1_100; i++) {
                locks.lock("many" + i).acquire().close();
            }
            DistributedSemaphore semaphore = locks.semaphore("shared", 2);
            Lease first = semaphore.permits(1).acquire();
            Lease second = semaphore.permits(1).acquire();
            CompletableFuture<Lease> third = semaphore.permits(1).acquireAsync();
            await().atMost(LIMIT)
                    .until(() -> locks.inspect("shared").orElseThrow().waiters().size() == 1);
            first.close();
            assertThat(third).succeedsWithin(LIMIT);
            assertThat(second.isHeld()).isTrue();
        }
    }

    private static final class Unpushed extends DelegatingStore {
        Unpushed(StoreContext context) {
            super("hinted", mute(context));
        }

        @Override
        public StoreTraits traits() {
            return withoutPushes(super.traits());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSingleTryWhoseGrantsAllComeTooLateFailsAsUnanswered(boolean exclusive) {
        LockOptions shortLease = OPTIONS.withLeaseTime(Duration.ofMillis(10));
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new DelegatingStore("late-" + exclusive, context) {
                    @Override
                    public AcquireOutcome tryAcquire(Claim claim) {
                        AcquireOutcome outcome = super.tryAcquire(claim);
                        takeMillis(20);
                        return outcome;
                    }
                })
                .build()) {
            DistributedLock lock = exclusive
                    ? locks.lock("a", shortLease)
                    : locks.semaphore("a", 2, shortLease).permits(1);
            assertThat(CompletableFuture.supplyAsync(lock::tryAcquire))
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .withCauseInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void aThreadThatHoldsPermitsIsRefusedMoreThanItsOwnHoldsLeaveFree() {
        try (Holdfast locks = Holdfast.connect("memory:")) {
            DistributedSemaphore semaphore = locks.semaphore("permits", 4);
            assertThat(CompletableFuture.runAsync(() -> {
                        semaphore.permits(1).asLock().lock();
                        semaphore.permits(2).asLock().lock();
                        assertThatThrownBy(() -> semaphore.permits(2).acquire())
                                .isInstanceOf(SelfDeadlockException.class);
                    }))
                    .succeedsWithin(LIMIT);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, Grant.EPOCH_LIMIT, Long.MAX_VALUE})
    void aGrantRefusesAnEpochWhoseTokensWouldOverflow(long epoch) {
        assertThatThrownBy(() -> grant(epoch)).isInstanceOf(IllegalArgumentException.class);
        assertThat(grant(1).epoch()).isEqualTo(1);
        assertThat(grant(Grant.EPOCH_LIMIT - 1).epoch()).isPositive();
        assertThatThrownBy(() -> new AcquireOutcome.Granted(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    private static Grant grant(long epoch) {
        return new Grant("a", new OwnerId(1, 2), epoch, LIMIT, LIMIT, null, false);
    }
}
