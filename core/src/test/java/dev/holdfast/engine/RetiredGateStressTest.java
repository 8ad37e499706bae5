package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.client.Client;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A wait for a read lock times out at the very moment at which its first, direct attempt is refused and it goes to the
 * line. So many names are in use that nothing is kept for a name between the two. Nobody who has given up may be left at
 * the head of the line, where those behind would wait for ever.
 */
@Timeout(60)
class RetiredGateStressTest {
    private static final int ROUNDS = 1_500;

    /** A few more than a client keeps state for although nobody uses them. */
    private static final int MANY_NAMES = 1_100;

    /** In steps of a spinning thread: about as long as it takes from the refusal to the line. */
    private static final int LONGEST_PAUSE = 20;

    private static final int MOST_EXTENSIONS = 10_000;
    private static final Duration WAIT = Duration.ofMillis(1);
    private static final Claim.Part WRITE = new Claim.Part("a", LockKind.READ_WRITE, Claim.MANY, Claim.MANY);

    private final AtomicLong now = new AtomicLong(1);
    private final AtomicReference<@Nullable LockStore> store = new AtomicReference<>();

    /** The end of the wait of this round, once it is scheduled. */
    private volatile @Nullable Timed timeout;

    /** Rounds whose first attempt was refused, and rounds whose wait has ended. */
    private volatile int refused;

    private volatile int timedOut;

    @Test
    void aWaitThatEndsOnItsWayToTheLineNeverBlocksIt() throws InterruptedException {
        Holdfast locks = inlineClient();
        for (int i = 0; i < MANY_NAMES; i++) {
            locks.lock("many/" + i).tryAcquire().orElseThrow().release();
        }
        DistributedLock read = locks.readWriteLock("a").readLock();
        Thread timer = new Thread(this::endWaits, "timer");
        timer.start();
        boolean free = true;
        int round = 0;
        while (free && round < ROUNDS) {
            round++;
            List<Grant> held = holdAsStranger(round);
            timeout = null;
            CompletableFuture<Optional<Lease>> wait = read.tryAcquireAsync(WAIT);
            assertThat(timeout).as("what ends the wait").isNotNull();
            while (timedOut < round) {
                Thread.onSpinWait();
            }
            endForGood(wait);
            store().release(held);
            Optional<Lease> next = read.tryAcquire();
            free = next.isPresent();
            next.ifPresent(Lease::release);
        }
        timer.interrupt();
        timer.join();
        assertThat(free)
                .as("whether the free lock could be had after round %s", round)
                .isTrue();
        // Not before: a line that is blocked for ever may keep the client from closing.
        locks.close();
    }

    /** An engine that has heard nothing yet may have put the end of the wait off. */
    private void endForGood(CompletableFuture<Optional<Lease>> wait) {
        for (int more = 0; more < MOST_EXTENSIONS && !wait.isDone(); more++) {
            now.addAndGet(WAIT.toNanos());
            Objects.requireNonNull(timeout, "timeout").onDue();
        }
        assertThat(wait).isDone();
    }

    private List<Grant> holdAsStranger(int round) {
        Claim claim = new Claim(
                List.of(WRITE), new OwnerId(1, round), Duration.ofDays(1), new Claim.HolderInfo("stranger", ""), false);
        return ((AcquireOutcome.Granted) store().tryAcquire(claim)).grants();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void endWaits() {
        Random random = new Random(1);
        while (timedOut < ROUNDS && !Thread.currentThread().isInterrupted()) {
            Timed ending = refused > timedOut ? timeout : null;
            if (ending != null) {
                for (int pause = random.nextInt(LONGEST_PAUSE); pause > 0; pause--) {
                    Thread.onSpinWait();
                }
                now.addAndGet(WAIT.toNanos());
                ending.onDue();
                timedOut++;
            }
        }
    }

    private LockStore store() {
        return Objects.requireNonNull(store.get(), "store");
    }

    private Client inlineClient() {
        Timeline onlyTimeouts = new Timeline() {
            @Override
            public void schedule(Timed timed, long dueNanos) {
                if (timeout == null && dueNanos == now.get() + WAIT.toNanos()) {
                    timeout = timed;
                }
            }

            @Override
            public void cancel(Timed timed) {}
        };
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
                long sent = now.get();
                R result = null;
                Throwable failure = null;
                try {
                    result = call.apply(store());
                } catch (RuntimeException unanswered) {
                    failure = unanswered;
                }
                reply.on(sent, result, failure);
            }
        };
        Surroundings surroundings = TestSurroundings.of(now::get, onlyTimeouts, inline, Runnable::run);
        return Client.open(
                "retired",
                surroundings,
                listener -> {
                    StoreContext context = new StoreContext(
                            "retired",
                            now::get,
                            (delay, task) -> () -> {},
                            Runnable::run,
                            Duration.ofSeconds(1),
                            surroundings.random(),
                            listener);
                    store.set(new Announcing(context));
                    return store();
                },
                LockOptions.defaults(),
                null,
                () -> {});
    }

    /** Lets the timer know that a first attempt was refused, before the engine knows. */
    private final class Announcing extends DelegatingStore {
        Announcing(StoreContext context) {
            super("retired-gates", context);
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            if (!claim.queue() && outcome instanceof AcquireOutcome.Contended) {
                refused++;
            }
            return outcome;
        }
    }
}
