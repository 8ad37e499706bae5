package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.ClientStatistics;
import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners, executors and holders of the user that do what nobody expects. */
@Timeout(60)
class UnrulyUserCodeTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final LockOptions OPTIONS = LockOptions.defaults();

    /** Languages without checked exceptions throw them through interfaces that do not declare them. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable any) throws E {
        throw (E) any;
    }

    /** HoldfastListener: "What a listener throws is logged and dropped." */
    @Test
    void aCheckedExceptionFromTheListenerDoesNotStopLaterEvents() throws InterruptedException {
        List<HoldfastEvent> events = new CopyOnWriteArrayList<>();
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(event -> {
                    events.add(event);
                    UnrulyUserCodeTest.<RuntimeException>sneak(new IOException("kotlin"));
                })
                .build()) {
            for (int i = 0; i < 3; i++) {
                locks.lock("a").acquire().close();
                int told = 2 * (i + 1);
                await().dontCatchUncaughtExceptions().atMost(LIMIT).until(() -> events.size() == told);
            }
        }
    }

    /** "What a listener throws is logged and dropped"; waiting() returns to zero. */
    @Test
    void aCheckedExceptionFromAttemptFailsNoAcquireAndLeavesNobodyWaiting() throws InterruptedException {
        AtomicReference<@Nullable ClientStatistics> numbers = new AtomicReference<>();
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(new HoldfastListener() {
                    @Override
                    public void on(HoldfastEvent event) {}

                    @Override
                    public void opened(ClientStatistics statistics) {
                        numbers.set(statistics);
                    }

                    @Override
                    public @Nullable HoldfastListener attempt(String lockName) {
                        UnrulyUserCodeTest.<RuntimeException>sneak(new IOException("kotlin"));
                        return null;
                    }
                })
                .build()) {
            locks.lock("a").acquire().close();
            assertThat(numbers.get())
                    .isNotNull()
                    .extracting(ClientStatistics::waiting)
                    .isEqualTo(0L);
        }
    }

    /** HoldfastListener.all: "Each is told, whatever the others throw." */
    @Test
    void allListenersFollowAnAttemptWhateverOneThrows() throws InterruptedException {
        AtomicInteger followed = new AtomicInteger();
        HoldfastListener broken = onAttempt(name -> {
            throw new IllegalStateException("broken");
        });
        HoldfastListener good = onAttempt(name -> followed.incrementAndGet());
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(HoldfastListener.all(broken, good))
                .build()) {
            locks.lock("a").acquire().close();
            assertThat(followed).hasValue(1);
        }
    }

    private static HoldfastListener onAttempt(Consumer<String> action) {
        return new HoldfastListener() {
            @Override
            public void on(HoldfastEvent event) {}

            @Override
            public @Nullable HoldfastListener attempt(String lockName) {
                action.accept(lockName);
                return null;
            }
        };
    }

    /** HoldfastListener.all: "Each is told, whatever the others throw." */
    @Test
    void allListenersAreToldWhateverOneThrows() throws InterruptedException {
        AtomicInteger told = new AtomicInteger();
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(HoldfastListener.all(
                        event -> {
                            throw new AssertionError("broken");
                        },
                        event -> told.incrementAndGet()))
                .build()) {
            locks.lock("a").acquire().close();
            await().atMost(LIMIT).until(() -> told.get() == 2);
        }
    }

    /** ARCHITECTURE: "User code never runs on the thread for time." A candidate that is refused stands again later. */
    @Test
    void aListenerThatTakesItsTimeWhenACandidateStandsAgainDelaysNoLoss() throws InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .listener(onAttempt(name -> {
                    if (name.equals("office") && attempts.incrementAndGet() > 2) {
                        stuck.countDown();
                        Outcomes.awaitQuietly(goOn);
                    }
                }))
                .build()) {
            try (Lease unused = locks.semaphore("office", 2).permits(1).acquire();
                    Election election = locks.election("office")) {
                election.campaign(lease -> {}, reason -> {});
                stuck.await();
                Lease limited = locks.lock("x", OPTIONS.withMaxHold(Duration.ofMillis(100)))
                        .acquire();
                limited.onLost(reason -> told.countDown());
                assertThat(told.await(LIMIT.toSeconds() / 2, TimeUnit.SECONDS))
                        .as("told while the listener sleeps")
                        .isTrue();
            } finally {
                goOn.countDown();
            }
        }
    }

    /** P10, and "interrupted when the lease is lost": interrupting is not user code and needs no thread of the user's. */
    @Test
    void theHolderIsInterruptedAlthoughItRunsOnTheCallbackExecutor() throws InterruptedException, ExecutionException {
        ExecutorService one = Executors.newSingleThreadExecutor();
        CountDownLatch holds = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (Holdfast other = Holdfast.connect("memory:interrupt");
                Holdfast locks = Holdfast.builder()
                        .url("memory:interrupt")
                        .callbackExecutor(one)
                        .build()) {
            Future<Boolean> work = one.submit(() -> {
                Lease lease = locks.lock("a", OPTIONS.withInterruptOnLoss(true)).acquire();
                holds.countDown();
                try {
                    boolean unused = never.await(5, TimeUnit.SECONDS);
                    return false;
                } catch (InterruptedException told) {
                    return true;
                } finally {
                    lease.release();
                }
            });
            holds.await();
            other.evict("a", "test");
            assertThat(work.get()).as("interrupted").isTrue();
        } finally {
            one.shutdownNow();
        }
    }

    /** callbackExecutor: "What it refuses runs on that pool." */
    @Test
    void anExecutorThatThrowsACheckedExceptionHangsNoFuture() {
        try (Holdfast locks = Holdfast.builder()
                .url("memory:")
                .callbackExecutor(task -> UnrulyUserCodeTest.<RuntimeException>sneak(new IOException("kotlin")))
                .build()) {
            assertThat(locks.lock("a").acquireAsync()).succeedsWithin(LIMIT);
        }
    }

    /** ARCHITECTURE: user code never runs on threads that call the store, "whatever executor is given". */
    @Test
    void aFutureThatIsLateForCloseCompletesOnTheUsersExecutor() throws InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<String> thread;
        try (Holdfast locks = Holdfast.builder()
                .commandTimeout(Duration.ofMillis(500))
                .callbackExecutor(ForkJoinPool.commonPool())
                .store(context -> new DelegatingStore("late-future", context) {
                    @Override
                    public List<ReleaseOutcome> release(List<Grant> grants) {
                        while (goOn.getCount() > 0) {
                            Outcomes.awaitQuietly(goOn);
                            boolean unused = Thread.interrupted();
                        }
                        return super.release(grants);
                    }
                })
                .build()) {
            thread = locks.lock("a")
                    .acquire()
                    .releaseAsync()
                    .handle((done, failure) -> Thread.currentThread().getName());
        }
        goOn.countDown();
        assertThat(thread).succeedsWithin(LIMIT).asString().doesNotContain("-cleanup-");
    }
}
