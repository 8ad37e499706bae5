package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Losses are told, and locks passed on, while code of the user's or work that nobody waits for takes its time. */
@Timeout(60)
class NoUserCodeInTheWayTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final LockOptions OPTIONS = LockOptions.defaults();
    private static final int CALLBACK_THREADS = 64;
    private static final int CANCELLED = 40;

    /** Open until the test is over: whatever waits for it takes its time. */
    private final CountDownLatch goOn = new CountDownLatch(1);

    private final ExecutorService one = Executors.newSingleThreadExecutor();

    @AfterEach
    void end() {
        goOn.countDown();
        one.shutdown();
    }

    /** P10: a thread may close its socket, or whatever else, when it is interrupted. */
    @Test
    void anInterruptThatTakesItsTimeDelaysNoOtherLoss() throws InterruptedException {
        CountDownLatch interrupting = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (Holdfast other = Holdfast.connect("memory:slow-interrupt");
                Holdfast locks = Holdfast.connect("memory:slow-interrupt")) {
            CountDownLatch held = new CountDownLatch(1);
            Thread holder = new Thread(() -> holdUntilInterrupted(locks, held)) {
                @Override
                public void interrupt() {
                    interrupting.countDown();
                    Outcomes.awaitQuietly(goOn);
                    super.interrupt();
                }
            };
            holder.start();
            held.await();
            await().atMost(LIMIT).until(() -> interrupting.getCount() == 0);
            Lease limited =
                    locks.lock("b", OPTIONS.withMaxHold(Duration.ofMillis(50))).acquire();
            limited.onLost(reason -> told.countDown());
            assertThat(told.await(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("told while an interrupt takes its time")
                    .isTrue();
            goOn.countDown();
            holder.join();
            assertThat(other.inspect("a")).as("given back").isEmpty();
        }
    }

    private void holdUntilInterrupted(Holdfast locks, CountDownLatch held) {
        LockOptions briefly = OPTIONS.withMaxHold(Duration.ofMillis(50)).withInterruptOnLoss(true);
        try {
            Lease lease = locks.lock("a", briefly).acquire();
            held.countDown();
            boolean unused = new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
            lease.release();
        } catch (InterruptedException told) {
            Thread.currentThread().interrupt();
        }
    }

    /** P10, and Election: "its thread is interrupted when the term is lost". */
    @Test
    void aLeaderIsDeposedAlthoughTheUsersExecutorIsBusy() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:busy-executor");
                Holdfast locks = Holdfast.builder()
                        .url("memory:busy-executor")
                        .callbackExecutor(one)
                        .build()) {
            one.execute(() -> Outcomes.awaitQuietly(goOn));
            leadsAndIsDeposed(locks, other);
        }
    }

    /** The same with the client's own threads, where continuations of futures take their time. */
    @Test
    void aLeaderIsDeposedAlthoughAllThreadsForCallbacksAreBusy() throws InterruptedException {
        AtomicInteger busy = new AtomicInteger();
        try (Holdfast other = Holdfast.connect("memory:busy-callbacks");
                Holdfast locks = Holdfast.connect("memory:busy-callbacks")) {
            List<Lease> taken = new ArrayList<>();
            for (int i = 0; i < CALLBACK_THREADS; i++) {
                taken.add(other.lock("x" + i).acquire());
                CompletableFuture<Void> unused = locks.lock("x" + i)
                        .acquireAsync()
                        .thenAccept(lease -> {
                            busy.incrementAndGet();
                            Outcomes.awaitQuietly(goOn);
                            lease.release();
                        });
            }
            taken.forEach(Lease::release);
            await().atMost(LIMIT).until(() -> busy.get() == CALLBACK_THREADS);
            leadsAndIsDeposed(locks, other);
            goOn.countDown();
        }
    }

    private static void leadsAndIsDeposed(Holdfast locks, Holdfast other) throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try (Election election = locks.election("office", OPTIONS.withInterruptOnLoss(true))) {
            election.campaign(
                    lease -> {
                        told.add("elected");
                        try {
                            boolean unused = new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                        } catch (InterruptedException lost) {
                            told.add("interrupted");
                        }
                    },
                    reason -> told.add(reason.toString()));
            assertThat(next(told)).isEqualTo("elected");
            other.evict("office", "test");
            assertThat(next(told)).isEqualTo("interrupted");
            assertThat(next(told)).isEqualTo(LossReason.EVICTED.toString());
            assertThat(next(told)).as("stands again").isEqualTo("elected");
        }
    }

    private static @Nullable String next(BlockingQueue<String> told) throws InterruptedException {
        return told.poll(LIMIT.toSeconds() / 2, TimeUnit.SECONDS);
    }

    /** P12: nobody waits for a withdrawal, but another client waits for a lock that is kept idle. */
    @Test
    void anIdleLockThatOthersWaitForIsReleasedBeforeManyWithdrawals() throws InterruptedException {
        AtomicInteger withdrawing = new AtomicInteger();
        try (Holdfast other = Holdfast.connect("memory:many-withdrawals");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new SlowToWithdraw(context, withdrawing, goOn))
                        .commandTimeout(LIMIT)
                        .build()) {
            locks.lock("idle", OPTIONS.withStickyFor(LIMIT.multipliedBy(3)))
                    .acquire()
                    .close();
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            // Kept, because a lease that nobody refers to any more is given back.
            List<Lease> kept = new ArrayList<>();
            for (int i = 0; i < CANCELLED; i++) {
                kept.add(other.lock("x" + i).acquire());
                waits.add(locks.lock("x" + i).acquireAsync());
            }
            for (int i = 0; i < CANCELLED; i++) {
                String name = "x" + i;
                await().atMost(LIMIT)
                        .until(() ->
                                !other.inspect(name).orElseThrow().waiters().isEmpty());
            }
            waits.forEach(wait -> wait.cancel(false));
            await().atMost(LIMIT).until(() -> withdrawing.get() > 0);
            assertThat(other.lock("idle").tryAcquire(LIMIT)).isPresent();
            assertThat(kept).allMatch(Lease::isHeld);
            goOn.countDown();
        }
    }

    private static final class SlowToWithdraw extends DelegatingStore {
        private final AtomicInteger withdrawing;
        private final CountDownLatch goOn;

        SlowToWithdraw(StoreContext context, AtomicInteger withdrawing, CountDownLatch goOn) {
            super("many-withdrawals", context);
            this.withdrawing = withdrawing;
            this.goOn = goOn;
        }

        @Override
        public void withdraw(Claim claim, boolean mayStillArrive) {
            withdrawing.incrementAndGet();
            Outcomes.awaitQuietly(goOn);
            super.withdraw(claim, mayStillArrive);
        }
    }
}
