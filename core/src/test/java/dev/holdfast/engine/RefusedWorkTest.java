package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
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

    @Test
    void anElectionWhoseAttemptWasRefusedStandsAgain() {
        List<CompletableFuture<Lease>> attempts = new ArrayList<>();
        DistributedLock lock = (DistributedLock) Proxy.newProxyInstance(
                DistributedLock.class.getClassLoader(),
                new Class<?>[] {DistributedLock.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "names" -> List.of("office");
                    case "options" -> LockOptions.defaults();
                    case "acquireAsync" -> {
                        attempts.add(new CompletableFuture<>());
                        yield attempts.get(attempts.size() - 1);
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        try (LockElection election = new LockElection(engine, lock, Thread::new, Optional::empty, closed -> {})) {
            election.campaign(lease -> {}, reason -> {});
            for (int refusals = 1; refusals <= 3; refusals++) {
                assertThat(attempts).hasSize(refusals);
                attempts.get(refusals - 1)
                        .completeExceptionally(new StoreUnavailableException("acquire", "office", null));
                Timed next = Objects.requireNonNull(heap.first(), "nothing is to be tried again");
                heap.remove(next);
                next.onDue();
            }
            assertThat(attempts).hasSize(4);
        }
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
        return TestSurroundings.of(() -> 1, timeline, calls, Runnable::run);
    }

    /** Lets calls wait at first, and then refuses them, as a pool does that gets no threads. */
    private static final class Refusing implements StoreCalls {
        private final List<Runnable> waiting = new ArrayList<>();
        private boolean atOnce;
        private int refused;

        @Override
        public <R> void submit(Lane lane, Function<LockStore, R> call, Reply<R> reply) {
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
