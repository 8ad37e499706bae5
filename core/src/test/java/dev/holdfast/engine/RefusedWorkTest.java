package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.engine.client.OwnerMint;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an engine does when its work is refused at once, on the thread that asks for it. */
class RefusedWorkTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final TimedHeap heap = new TimedHeap();
    private final Refusing calls = new Refusing();
    private final Engine engine = new Engine("refused", surroundings(), null);

    @BeforeEach
    void open() {
        engine.attach(new DelegatingStore(
                "refused",
                new StoreContext(
                        "refused",
                        () -> 1,
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

    /** Each refusal leads to the next task; if it did so by a call within a call, the stack would not suffice. */
    @Test
    void anyNumberOfRefusalsInARowFitOnTheStack() {
        int withdrawals = 20_000;
        OwnerMint owners = new OwnerMint();
        AfterUnlock after = new AfterUnlock();
        for (int i = 0; i < withdrawals; i++) {
            Claim claim = new Claim(
                    List.of(new Claim.Part("a", LockKind.EXCLUSIVE, 1, 1)),
                    owners.get(),
                    LEASE,
                    new Claim.HolderInfo("refused", ""),
                    true);
            engine.cleanup.withdraw(claim, false, after);
        }
        after.run();
        calls.refuseAll();
        assertThat(calls.refused).isEqualTo(withdrawals);
        assertThat(engine.cleanup.isDone()).as("nothing is left to do").isFalse();
    }

    private Surroundings surroundings() {
        return TestSurroundings.of(() -> 1, new HeapTimeline(heap), calls, Runnable::run);
    }

    /** Lets calls wait at first, and then refuses them, as a pool does that gets no threads. */
    private static final class Refusing implements StoreCalls {
        private final List<Runnable> waiting = new ArrayList<>();
        private boolean atOnce;
        private int refused;

        @Override
        public <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
            Runnable refusal = () -> {
                refused++;
                reply.on(1, null, new OutOfMemoryError("unable to create native thread"));
            };
            if (atOnce) {
                refusal.run();
            } else {
                waiting.add(refusal);
            }
        }

        void refuseAll() {
            atOnce = true;
            waiting.forEach(Runnable::run);
        }
    }
}
