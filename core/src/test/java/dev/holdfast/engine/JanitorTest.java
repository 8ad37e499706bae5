package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import dev.holdfast.store.memory.MemoryStoreProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Across a suspend of the machine the monotonic clock stands still while wall time goes on. */
class JanitorTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final AtomicLong now = new AtomicLong(1);
    private final AtomicLong wallAhead = new AtomicLong();
    private final TimedHeap heap = new TimedHeap();
    private final Engine engine = new Engine("janitor", surroundings(), null);
    private final Janitor janitor = new Janitor(engine, now::get, wallAhead::get);

    @BeforeEach
    void open() {
        engine.attach(new MemoryStoreProvider()
                .open(
                        StoreUri.parse("memory:", Map.of(), null),
                        new StoreContext(
                                "janitor",
                                now::get,
                                (delay, task) -> () -> {},
                                Runnable::run,
                                LEASE,
                                new Random(1),
                                new Switchboard(engine))));
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

    @Test
    void aBackwardOrSmallJumpChangesNothing() throws InterruptedException {
        Lease lease = acquire();
        Duration before = lease.remaining();
        wallAhead.addAndGet(-Duration.ofHours(1).toNanos());
        janitor.onDue();
        wallAhead.addAndGet(Duration.ofMillis(400).toNanos());
        janitor.onDue();
        assertThat(lease.remaining()).isEqualTo(before);
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
        Timeline timeline = new Timeline() {
            @Override
            public void schedule(Timed timed, long dueNanos) {
                heap.put(timed, dueNanos);
            }

            @Override
            public void cancel(Timed timed) {
                heap.remove(timed);
            }
        };
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(Lane lane, Function<LockStore, R> call, Reply<R> reply) {
                reply.on(now.get(), call.apply(engine.store()), null);
            }
        };
        return new Surroundings(now::get, timeline, inline, Runnable::run, new Random(1), new OwnerMint());
    }
}
