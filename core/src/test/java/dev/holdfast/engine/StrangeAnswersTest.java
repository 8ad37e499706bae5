package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of a store that come together, or come at a moment, so seldom that each was got wrong once. */
@Timeout(60)
class StrangeAnswersTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Terms TERMS =
            Terms.exclusive(List.of("a"), LockOptions.defaults(), new Claim.HolderInfo("silent", ""));

    /** One member of a cluster answers, the other one does not. */
    @Test
    void aReleaseThatFoundOneNameGoneAndTheOtherSilentTellsTheLoss() throws InterruptedException {
        AtomicInteger releases = new AtomicInteger();
        try (Holdfast locks = connect(context -> new DelegatingStore("half-released", context) {
            @Override
            public List<ReleaseOutcome> release(List<Grant> grants) {
                List<ReleaseOutcome> outcomes = super.release(grants);
                return releases.incrementAndGet() > 1
                        ? outcomes
                        : List.of(
                                ReleaseOutcome.NOT_HELD,
                                new ReleaseOutcome.Unknown(new StoreUnavailableException("release", "b", null)));
            }
        })) {
            Lease lease = locks.all("a", "b").acquire();
            assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
            await("the release is repeated for the name that was not answered for")
                    .atMost(LIMIT)
                    .until(() -> releases.get() > 1);
        }
    }

    @Test
    void onLostRunsWhenItIsTheReleaseThatFindsTheLockGone() throws InterruptedException {
        List<LossReason> told = new CopyOnWriteArrayList<>();
        try (Holdfast other = Holdfast.connect("memory:gone");
                Holdfast locks = connect(context -> new DelegatingStore("gone", DelegatingStore.mute(context)))) {
            Lease lease = locks.lock("a").acquire();
            lease.onLost(told::add);
            other.evict("a", "test");
            assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
            await().atMost(LIMIT).until(() -> told.equals(List.of(LossReason.EVICTED)));
        }
    }

    /** Waits without limit whose futures are cancelled leave as much behind as others. */
    @Test
    void cancelledWaitsOnASilentStoreDoNotPileUpForEver() {
        Engine engine = silentEngine();
        int begun = 0;
        CompletableFuture<@Nullable Lease> wait;
        do {
            wait = engine.acquireAsync(TERMS, Long.MAX_VALUE);
            begun++;
        } while (wait.cancel(true) && begun < 1_000_000);
        assertThat(wait)
                .as("wait number %s", begun)
                .failsWithin(LIMIT)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(StoreUnavailableException.class);
    }

    /** A wait of 292 years that begins a day after the clock does would end in the past. */
    @Test
    void theLongestWaitDoesNotEndAtOnce() {
        Waiter waiter = new FutureWaiter(silentEngine(), TERMS, TimeUnit.DAYS.toNanos(106_751), Runnable::run);
        assertThat(waiter.deadlineNanos).isGreaterThan(waiter.startedNanos);
    }

    /** An engine whose calls are never answered. */
    private static Engine silentEngine() {
        StoreCalls silent = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {}
        };
        long now = Duration.ofDays(2).toNanos();
        return new Engine(
                "silent",
                TestSurroundings.of(() -> now, new HeapTimeline(new TimedHeap()), silent, Runnable::run),
                null);
    }

    /** The store answers everything, so nothing is unknown. */
    @Test
    void aTryWhoseGrantWasTakenAwayBeforeItCameIsNotAcquired() {
        try (Holdfast other = Holdfast.connect("memory:evicted-try");
                Holdfast locks = connect(context -> new Meanwhile("evicted-try", context, granted -> {
                    other.evict("a", "test");
                    return granted;
                }))) {
            assertThat(locks.lock("a").tryAcquire()).isEmpty();
        }
    }

    @Test
    void aTryBehindAWaiterIsNotToldOfAnOutageThatIsOver() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Holdfast locks = connect(context -> new DelegatingStore("over", context) {
            @Override
            public AcquireOutcome tryAcquire(Claim claim) {
                if (asked.incrementAndGet() == 1) {
                    throw new StoreUnavailableException("acquire", "a", null);
                }
                underWay.countDown();
                Outcomes.awaitQuietly(goOn);
                return super.tryAcquire(claim);
            }
        })) {
            DistributedLock lock = locks.lock("a");
            assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
            CompletableFuture<Lease> first = lock.acquireAsync();
            underWay.await();
            assertThat(lock.tryAcquire()).as("somebody is ahead").isEmpty();
            goOn.countDown();
            assertThat(first).succeedsWithin(LIMIT);
        }
    }

    @Test
    void aHintOfForEverDoesNotStopTheLine() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        try (Holdfast locks = connect(context -> new DelegatingStore("for-ever", context) {
            @Override
            public AcquireOutcome tryAcquire(Claim claim) {
                return asked.incrementAndGet() == 1
                        ? new AcquireOutcome.Contended(ChronoUnit.FOREVER.getDuration())
                        : super.tryAcquire(claim);
            }
        })) {
            DistributedLock lock = locks.lock("a");
            assertThat(lock.tryAcquire()).isEmpty();
            lock.acquire().close();
        }
    }

    private static Holdfast connect(StoreFactory store) {
        return Holdfast.builder().commandTimeout(LIMIT).store(store).build();
    }

    /** Something happens between the first grant and its reply. */
    private static final class Meanwhile extends DelegatingStore {
        private final Function<AcquireOutcome, AcquireOutcome> first;
        private final AtomicInteger asked = new AtomicInteger();

        Meanwhile(String name, StoreContext context, Function<AcquireOutcome, AcquireOutcome> first) {
            super(name, context);
            this.first = first;
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            return asked.incrementAndGet() == 1 ? first.apply(outcome) : outcome;
        }
    }
}
