package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.client.OwnerMint;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One server of several is silent, and claims there are abandoned faster than withdrawals can be tried, for as long as one
 * looks. What was abandoned at the other servers is withdrawn all the same: others wait for it. On virtual time.
 */
class SteadyWithdrawalsTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** What 100 threads abandon that try for 100 ms again and again. */
    private static final Duration EVERY = Duration.ofMillis(21);

    private static final Duration BEFORE = Duration.ofSeconds(10);
    private static final Duration AFTER = Duration.ofSeconds(30);

    private final AtomicLong now = new AtomicLong(1);
    private final TimedHeap heap = new TimedHeap();
    private final OwnerMint owners = new OwnerMint();
    private final List<String> withdrawn = new ArrayList<>();
    private final Engine engine = new Engine("steady", surroundings(), null);

    @BeforeEach
    void open() {
        StoreContext context = new StoreContext(
                "steady",
                now::get,
                (delay, task) -> () -> {},
                Runnable::run,
                TIMEOUT,
                new Random(1),
                new StoreMessages(engine));
        engine.attach(new DelegatingStore("steady", context) {
            @Override
            public void withdraw(Claim claim, boolean mayStillArrive) {
                if (claim.describe().startsWith("dead")) {
                    throw new StoreUnavailableException("withdraw", claim.describe(), null);
                }
                withdrawn.add(claim.describe());
            }
        });
    }

    @AfterEach
    void close() {
        engine.store().close();
    }

    @Test
    void withdrawalsForOtherServersGetTheirTurn() {
        abandonAtTheSilentServer(BEFORE);
        List<String> abandoned = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            abandoned.add("alive/" + i);
            withdraw("alive/" + i);
        }
        abandonAtTheSilentServer(AFTER);
        assertThat(withdrawn).containsExactlyInAnyOrderElementsOf(abandoned);
    }

    private void abandonAtTheSilentServer(Duration time) {
        for (long until = now.get() + time.toNanos(); now.get() < until; ) {
            withdraw("dead/" + now);
            advance(EVERY);
        }
    }

    private void withdraw(String name) {
        AfterUnlock after = new AfterUnlock();
        Claim claim = new Claim(
                List.of(new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1)),
                owners.get(),
                LEASE,
                new Claim.HolderInfo("steady", ""),
                true);
        engine.cleanup.withdraw(claim, true, after);
        after.run();
    }

    private void advance(Duration time) {
        long until = now.get() + time.toNanos();
        while (heap.firstDueNanos() <= until) {
            Timed next = heap.first();
            now.set(Math.max(now.get(), heap.firstDueNanos()));
            if (next != null) {
                heap.remove(next);
                next.onDue();
            }
        }
        now.set(until);
    }

    private Surroundings surroundings() {
        return TestSurroundings.of(now::get, new HeapTimeline(heap), new Threads(), Runnable::run);
    }

    /** As many threads as one likes; a call that fails has waited for a whole command timeout. */
    private final class Threads implements StoreCalls {
        @Override
        public <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
            long sent = now.get();
            try {
                R answer = call.apply(engine.store());
                replyAt(sent + Duration.ofMillis(1).toNanos(), () -> reply.on(sent, answer, null));
            } catch (StoreUnavailableException silent) {
                replyAt(sent + TIMEOUT.toNanos(), () -> reply.on(sent, null, silent));
            }
        }

        private void replyAt(long nanos, Runnable reply) {
            heap.put(
                    new Timed() {
                        @Override
                        public void onDue() {
                            reply.run();
                        }
                    },
                    nanos);
        }
    }
}
