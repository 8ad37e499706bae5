package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.client.OwnerMint;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The heap is full for a moment, wherever that hurts: what was to be done is done later, and nothing stops for good. */
class WorkAfterErrorsTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final int USUAL_AT_ONCE = 5;

    private final AtomicLong now = new AtomicLong(1);
    private final TimedHeap heap = new TimedHeap();
    private final FullTimeline timeline = new FullTimeline(heap);
    private final FullCalls calls = new FullCalls();
    private final AtomicInteger ownersToFail = new AtomicInteger();
    private final OwnerMint owners = new OwnerMint();
    private final AtomicInteger withdrawals = new AtomicInteger();
    private final Engine engine = new Engine("full", surroundings(), null);

    @BeforeEach
    void open() {
        StoreContext context = new StoreContext(
                "full",
                now::get,
                (delay, task) -> () -> {},
                Runnable::run,
                LEASE,
                new Random(1),
                new StoreMessages(engine));
        engine.attach(new DelegatingStore("full", context) {
            @Override
            public void withdraw(Claim claim, boolean mayStillArrive) {
                withdrawals.incrementAndGet();
                super.withdraw(claim, mayStillArrive);
            }
        });
    }

    @AfterEach
    void close() {
        engine.store().close();
    }

    @Test
    void aRequestThatCannotBeSentIsMadeLater() {
        calls.full = true;
        withdraw(1);
        advance(Duration.ofSeconds(5));
        assertThat(withdrawals).hasValue(1);
        assertThat(engine.cleanup.isDone()).isTrue();
    }

    @Test
    void anErrorWhileRequestsAreChosenDoesNotStopLaterOnes() {
        timeline.full = true;
        withdraw(USUAL_AT_ONCE + 1);
        assertThat(timeline.full).as("not reached").isFalse();
        advance(Duration.ofSeconds(5));
        assertThat(withdrawals).hasValue(USUAL_AT_ONCE + 1);
        assertThat(engine.cleanup.isDone()).isTrue();
    }

    @Test
    void anErrorThatFollowsAnAnswerDoesNotLoseTheAnswer() {
        withdraw(USUAL_AT_ONCE + 2);
        timeline.full = true;
        calls.runNext();
        assertThat(timeline.full).as("not reached").isFalse();
        advance(Duration.ofSeconds(5));
        assertThat(withdrawals).hasValue(USUAL_AT_ONCE + 2);
        assertThat(engine.cleanup.isDone()).isTrue();
    }

    @Test
    void aRenewalThatCannotBePlannedIsTriedAgain() {
        Lease lease = get(engine.acquireAsync(terms("renewed"), 0));
        now.addAndGet(LEASE.toNanos() / 3 + LEASE.toNanos() / 10);
        timeline.full = true;
        ring();
        assertThat(timeline.full).as("not reached").isFalse();
        advance(LEASE.multipliedBy(2));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aClaimThatCannotBeMadeDoesNotHeadTheLine() {
        ownersToFail.set(2);
        assertThat(engine.acquireAsync(terms("a"), Long.MAX_VALUE)).failsWithin(Duration.ZERO);
        CompletableFuture<@Nullable Lease> next = engine.acquireAsync(terms("a"), Long.MAX_VALUE);
        advance(AT_ONCE);
        assertThat(next).as("the next acquire").isCompleted();
    }

    @Test
    void aClaimThatCannotBeMadeForTheNextInLineKeepsNeitherTheGrantNorTheLine() {
        Terms limited = terms("a");
        Terms other = terms("a", LockOptions.defaults().withLabel("other"));
        Lease held = get(engine.acquireAsync(limited, 0));
        ownersToFail.set(1);
        CompletableFuture<@Nullable Lease> next = engine.acquireAsync(other, Long.MAX_VALUE);
        CompletableFuture<@Nullable Lease> nextButOne = engine.acquireAsync(limited, Long.MAX_VALUE);
        advance(AT_ONCE);
        ownersToFail.set(1);
        assertThat(held.release()).as("the release").isTrue();
        advance(AT_ONCE);
        assertThat(next).isCompletedExceptionally();
        assertThat(nextButOne).isCompleted();
    }

    @Test
    void aClaimThatCannotBeMadeForWhoeverWasRefusedDoesNotHeadTheLine() {
        Lease all = get(engine.acquireAsync(permits(2), 0));
        CompletableFuture<@Nullable Lease> refused = engine.acquireAsync(permits(1), Long.MAX_VALUE);
        ownersToFail.set(1);
        advance(AT_ONCE);
        assertThat(refused).isCompletedExceptionally();
        CompletableFuture<@Nullable Lease> next = engine.acquireAsync(permits(1), Long.MAX_VALUE);
        advance(AT_ONCE);
        all.close();
        advance(AT_ONCE);
        assertThat(next).isCompleted();
    }

    private static Terms terms(String name) {
        return terms(name, LockOptions.defaults());
    }

    private static Terms terms(String name, LockOptions options) {
        return Terms.exclusive(List.of(name), options.withLeaseTime(LEASE), new Claim.HolderInfo("full", ""));
    }

    private static Terms permits(int units) {
        return Terms.of(
                List.of(new Claim.Part("permits", LockKind.SEMAPHORE, units, 2)),
                LockOptions.defaults(),
                new Claim.HolderInfo("full", ""));
    }

    private void withdraw(int count) {
        AfterUnlock after = new AfterUnlock();
        for (int i = 0; i < count; i++) {
            Terms terms = terms("n" + i);
            engine.cleanup.withdraw(new Claim(terms.parts, owners.get(), LEASE, terms.holder, true), false, after);
        }
        after.run();
    }

    private Lease get(CompletableFuture<@Nullable Lease> wait) {
        advance(AT_ONCE);
        Lease lease = wait.getNow(null);
        assertThat(lease).isNotNull();
        return lease;
    }

    private void advance(Duration time) {
        long until = now.get() + time.toNanos();
        calls.runAll();
        while (heap.firstDueNanos() <= until) {
            now.set(Math.max(now.get(), heap.firstDueNanos()));
            ring();
            calls.runAll();
        }
        now.set(until);
    }

    /** What is due, as the thread for time would, that goes on after an error. */
    private void ring() {
        for (Timed first = heap.first(); first != null && heap.firstDueNanos() <= now.get(); first = heap.first()) {
            heap.remove(first);
            surviving(first::onDue);
        }
    }

    /** Threads of pools go on after an error, too. */
    private static void surviving(Runnable step) {
        try {
            step.run();
        } catch (InternalError full) {
            assertThat(full).hasMessage("simulated");
        }
    }

    private Surroundings surroundings() {
        return new Surroundings(
                now::get,
                timeline,
                calls,
                Runnable::run,
                Runnable::run,
                Runnable::run,
                new Random(1),
                () -> {
                    if (ownersToFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new InternalError("simulated");
                    }
                    return owners.get();
                },
                Duration.ofSeconds(2),
                true);
    }

    private static final class FullTimeline implements Timeline {
        private final TimedHeap heap;
        private boolean full;

        FullTimeline(TimedHeap heap) {
            this.heap = heap;
        }

        @Override
        public void schedule(Timed timed, long dueNanos) {
            if (full) {
                full = false;
                throw new InternalError("simulated");
            }
            heap.put(timed, dueNanos);
        }

        @Override
        public void cancel(Timed timed) {
            heap.remove(timed);
        }
    }

    private final class FullCalls implements StoreCalls {
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private boolean full;

        @Override
        public <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
            if (full) {
                full = false;
                throw new InternalError("simulated");
            }
            waiting.add(() -> reply.on(now.get(), call.apply(engine.store()), null));
        }

        void runAll() {
            while (!waiting.isEmpty()) {
                runNext();
            }
        }

        void runNext() {
            surviving(waiting.remove());
        }
    }
}
