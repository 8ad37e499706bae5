package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.client.OwnerMint;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Across a suspend of the machine the monotonic clock stands still while wall time goes on. */
class JanitorTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final AtomicLong now = new AtomicLong(1);
    private final AtomicLong wallAhead = new AtomicLong();
    private final TimedHeap heap = new TimedHeap();
    private final Engine engine = new Engine("janitor", surroundings(), null);
    private final Janitor janitor = new Janitor(engine, wallAhead::get);

    /** What happens while a request is under way. */
    private Runnable meanwhile = () -> {};

    private int renewals;

    @BeforeEach
    void open() {
        engine.attach(new Interrupted(new StoreContext(
                "janitor",
                now::get,
                (delay, task) -> () -> {},
                Runnable::run,
                LEASE,
                new Random(1),
                new StoreMessages(engine))));
    }

    @AfterEach
    void close() {
        engine.store().close();
    }

    @Test
    void aForwardJumpOfWallTimeEndsTheLeasesThatMayHaveRunOut() throws InterruptedException {
        Lease lease = acquire();
        wallAhead.addAndGet(LEASE.toNanos());
        janitor.onDue();
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aShorterJumpOnlyTakesItsTimeOffTheLease() throws InterruptedException {
        Lease lease = acquire();
        Duration before = lease.remaining();
        wallAhead.addAndGet(Duration.ofSeconds(10).toNanos());
        janitor.onDue();
        assertThat(lease.remaining()).isEqualTo(before.minusSeconds(10));
    }

    /** More than the margin of a lease of ten seconds. */
    @Test
    void aJumpOfATenthOfASecondCounts() throws InterruptedException {
        Lease lease = acquire();
        Duration before = lease.remaining();
        wallAhead.addAndGet(Duration.ofMillis(110).toNanos());
        janitor.onDue();
        assertThat(lease.remaining()).isEqualTo(before.minusMillis(110));
    }

    @Test
    void aBackwardOrSmallJumpChangesNothing() throws InterruptedException {
        Lease lease = acquire();
        Duration before = lease.remaining();
        wallAhead.addAndGet(-Duration.ofHours(1).toNanos());
        janitor.onDue();
        wallAhead.addAndGet(Duration.ofMillis(90).toNanos());
        janitor.onDue();
        assertThat(lease.remaining()).isEqualTo(before);
    }

    /** The machine is suspended after the store has answered, and the janitor looks before the answer is read. */
    @Test
    void anAnswerThatIsReadAfterASuspendDoesNotCountFromBefore() throws InterruptedException {
        meanwhile = () -> suspend(Duration.ofSeconds(10));
        Lease lease = acquire();
        assertThat(lease.remaining()).isLessThanOrEqualTo(LEASE.minusSeconds(10));
    }

    @Test
    void aRenewalsAnswerThatIsReadAfterASuspendDoesNotCountFromBeforeEither() throws InterruptedException {
        Lease lease = acquire();
        meanwhile = () -> suspend(Duration.ofSeconds(10));
        now.addAndGet(LEASE.dividedBy(2).toNanos());
        runUntilRenewed();
        assertThat(lease.remaining()).isLessThanOrEqualTo(LEASE.minusSeconds(10));
    }

    /** The monotonic clock stands still meanwhile. */
    private void suspend(Duration time) {
        wallAhead.addAndGet(time.toNanos());
        janitor.onDue();
    }

    /** Not any further: the next renewal would give the lease its full time again. */
    private void runUntilRenewed() {
        while (renewals == 0) {
            Timed due = Objects.requireNonNull(heap.first(), "due");
            heap.remove(due);
            due.onDue();
        }
    }

    @Test
    void itLooksAgainAndAgain() {
        janitor.start();
        assertThat(heap.first()).isSameAs(janitor);
        heap.remove(janitor);
        janitor.onDue();
        assertThat(heap.first()).isSameAs(janitor);
    }

    private Lease acquire() throws InterruptedException {
        Terms terms = Terms.exclusive(
                List.of("a"), LockOptions.defaults().withLeaseTime(LEASE), new Claim.HolderInfo("janitor", ""));
        return Objects.requireNonNull(engine.acquire(terms, Long.MAX_VALUE), "lease");
    }

    private Surroundings surroundings() {
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
                reply.on(now.get(), call.apply(engine.store()), null);
            }
        };
        return new Surroundings(
                now::get,
                new HeapTimeline(heap),
                inline,
                Runnable::run,
                Runnable::run,
                Runnable::run,
                new Random(1),
                new OwnerMint(),
                LEASE,
                true);
    }

    /** Lets something happen between the store's answer and its reading, once. */
    private final class Interrupted extends DelegatingStore {
        Interrupted(StoreContext context) {
            super("janitor", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            interrupt();
            return outcome;
        }

        @Override
        public List<RenewOutcome> renew(List<Grant> grants) {
            List<RenewOutcome> outcomes = super.renew(grants);
            renewals++;
            interrupt();
            return outcomes;
        }

        private void interrupt() {
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
        }
    }
}
