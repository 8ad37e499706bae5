package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.DelegatingStore;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.HeapTimeline;
import dev.holdfast.engine.Outcomes;
import dev.holdfast.engine.StoreCalls;
import dev.holdfast.engine.TestSurroundings;
import dev.holdfast.engine.Timed;
import dev.holdfast.engine.TimedHeap;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What an election does when threads cannot be had, and when candidatures follow each other. */
class LockElectionTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<HoldfastEvent> events = new CopyOnWriteArrayList<>();

    @Test
    void callbacksRunLaterWhenNoThreadCanBeStarted() {
        AtomicInteger refusals = new AtomicInteger(1);
        try (Client locks = open();
                Election election = locks.election("office", LockOptions.defaults(), scarce(refusals))) {
            election.campaign(lease -> calls.add("elected"), reason -> calls.add("deposed"));
            await().atMost(LIMIT).until(() -> calls.equals(List.of("elected")));
            assertThat(events)
                    .anyMatch(event -> event instanceof HoldfastEvent.CallbackFailed failed
                            && failed.cause() instanceof OutOfMemoryError);
            refusals.set(1);
            assertThat(locks.evict("office", "test")).isEqualTo(1);
            await().atMost(LIMIT).until(() -> calls.equals(List.of("elected", "deposed", "elected")));
            assertThat(election.isLeader()).isTrue();
        }
    }

    @Test
    void nextCandidatureStandsWhenTheCallbackOfTheLastHasReturned() throws InterruptedException {
        CountDownLatch returns = new CountDownLatch(1);
        try (Client locks = open();
                Election election = locks.election("office")) {
            election.campaign(
                    lease -> {
                        calls.add("first");
                        Outcomes.awaitQuietly(returns);
                        calls.add("first returned");
                    },
                    reason -> {});
            await().atMost(LIMIT).until(() -> !calls.isEmpty());
            election.resign();
            election.campaign(lease -> calls.add("second"), reason -> {});
            election.resign();
            election.campaign(lease -> calls.add("third"), reason -> {});
            Lease other = locks.lock("office").acquire();
            assertThat(locks.inspect("office").orElseThrow().waiters()).isEmpty();
            assertThat(election.isLeader()).isFalse();
            returns.countDown();
            other.close();
            election.awaitLeadership();
            await().atMost(LIMIT).until(() -> calls.equals(List.of("first", "first returned", "third")));
        }
    }

    /** The next step of an election is the client's own: it does not wait for user code, which may never end. */
    @Test
    void anElectionStandsAgainAlthoughTheUsersExecutorRunsNothing() throws InterruptedException {
        try (Holdfast locks = Holdfast.builder()
                        .url("memory:")
                        .callbackExecutor(task -> {})
                        .build();
                Election election = locks.election("office")) {
            Lease otherKind = locks.semaphore("office", 2).permits(1).acquire();
            election.campaign(lease -> {}, reason -> {});
            otherKind.close();
            assertThat(election.awaitLeadership(LIMIT)).isPresent();
        }
    }

    @Test
    void anElectionWhoseAttemptWasRefusedStandsAgain() {
        List<CompletableFuture<Lease>> attempts = new ArrayList<>();
        AtomicInteger cannotAsk = new AtomicInteger();
        DistributedLock lock = (DistributedLock) Proxy.newProxyInstance(
                DistributedLock.class.getClassLoader(),
                new Class<?>[] {DistributedLock.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "names" -> List.of("office");
                    case "options" -> LockOptions.defaults();
                    case "acquireAsync" -> {
                        if (cannotAsk.getAndDecrement() > 0) {
                            throw new InternalError("simulated");
                        }
                        attempts.add(new CompletableFuture<>());
                        yield attempts.get(attempts.size() - 1);
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        TimedHeap heap = new TimedHeap();
        StoreCalls none = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
                throw new AssertionError("this election asks its lock only");
            }
        };
        Engine engine = Engine.open(
                "refused",
                TestSurroundings.of(() -> 1, new HeapTimeline(heap), none, Runnable::run),
                listener -> new DelegatingStore(
                        "refused",
                        new StoreContext(
                                "refused",
                                () -> 1,
                                (delay, task) -> () -> {},
                                Runnable::run,
                                LIMIT,
                                new Random(1),
                                listener)),
                null);
        try (LockElection election =
                new LockElection(engine, lock, lock::acquireAsync, Thread::new, Optional::empty, closed -> {})) {
            election.campaign(lease -> {}, reason -> {});
            for (int refusals = 1; refusals <= 3; refusals++) {
                assertThat(attempts).hasSize(refusals);
                attempts.get(refusals - 1)
                        .completeExceptionally(new StoreUnavailableException("acquire", "office", null));
                Timed next = Objects.requireNonNull(heap.first(), "nothing is to be tried again");
                heap.remove(next);
                next.onDue();
            }
            assertThat(attempts).hasSize(4);

            cannotAsk.set(1);
            attempts.get(3).completeExceptionally(new StoreUnavailableException("acquire", "office", null));
            for (int rings = 1; rings <= 2; rings++) {
                Timed next = Objects.requireNonNull(heap.first(), "nothing is to be tried again");
                heap.remove(next);
                next.onDue();
            }
            assertThat(attempts).as("after one that could not even be made").hasSize(5);
        }
    }

    private Client open() {
        return (Client) Holdfast.builder().url("memory:").listener(events::add).build();
    }

    /** Threads that cannot be started as often as the counter says. */
    private static ThreadFactory scarce(AtomicInteger refusals) {
        return work -> new Thread(work) {
            @Override
            public synchronized void start() {
                if (refusals.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
    }
}
