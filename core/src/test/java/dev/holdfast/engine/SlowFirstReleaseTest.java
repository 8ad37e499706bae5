package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P16: an idle grant that goes back first does not take its time from the lease that is asked for. */
class SlowFirstReleaseTest {
    private static final Duration LEASE = Duration.ofMillis(300);
    private static final Duration RELEASE = Duration.ofMillis(150);
    private static final Duration ACQUIRE = Duration.ofMillis(200);

    private final AtomicLong now = new AtomicLong(1);
    private final Engine engine = new Engine("slow", surroundings(), null);

    @BeforeEach
    void open() {
        engine.attach(new Slow(new StoreContext(
                "slow",
                now::get,
                (delay, task) -> () -> {},
                Runnable::run,
                Duration.ofSeconds(2),
                new Random(1),
                new StoreMessages(engine))));
    }

    @AfterEach
    void close() {
        engine.store().close();
    }

    @Test
    void aTryThatGivesAnIdleGrantBackFirstHasItsWholeLease() {
        LockOptions sticky = LockOptions.defaults().withLeaseTime(LEASE).withStickyFor(Duration.ofMinutes(1));
        Objects.requireNonNull(engine.acquireUninterruptibly(terms(sticky), 0)).close();
        @Nullable Lease lease = engine.acquireUninterruptibly(terms(sticky.withLabel("other")), 0);
        assertThat(lease).isNotNull();
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.remaining()).isLessThanOrEqualTo(LEASE.minus(ACQUIRE));
    }

    private static Terms terms(LockOptions options) {
        return Terms.exclusive(List.of("a"), options, new Claim.HolderInfo("slow", options.label()));
    }

    private Surroundings surroundings() {
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
                reply.on(now.get(), call.apply(engine.store()), null);
            }
        };
        return TestSurroundings.of(now::get, new HeapTimeline(new TimedHeap()), inline, Runnable::run);
    }

    /** Requests take their time, by a clock that only they move. */
    private final class Slow extends DelegatingStore {
        Slow(StoreContext context) {
            super("slow-first-release", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            now.addAndGet(ACQUIRE.toNanos());
            return outcome;
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            now.addAndGet(RELEASE.toNanos());
            return super.release(grants);
        }
    }
}
