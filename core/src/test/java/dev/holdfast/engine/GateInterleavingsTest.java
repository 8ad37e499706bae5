package dev.holdfast.engine;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreUri;
import dev.holdfast.store.memory.MemoryStoreProvider;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of trying, waiting, cancelling and releasing at one gate: never two holders, tokens grow, and nobody
 * waits while the lock is free. Calls to the store and callbacks run inline, so that all concurrency is Lincheck's own.
 */
public class GateInterleavingsTest {
    private static final int THREADS = 2;
    private static final int STEPS_PER_THREAD = 3;

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicReference<Lease> held = new AtomicReference<>();
    private final AtomicReference<String> violation = new AtomicReference<>("");
    private final Queue<CompletableFuture<Lease>> waits = new ConcurrentLinkedQueue<>();
    private final Holdfast locks = inlineClient(LockOptions.defaults());
    private final DistributedLock gate = locks.lock("gate");

    @Operation
    public void tryOnce() {
        gate.tryAcquire().ifPresent(this::enter);
    }

    @Operation
    public void queueUp() {
        CompletableFuture<Lease> wait = gate.acquireAsync();
        waits.add(wait);
        wait.thenAccept(this::enter);
    }

    @Operation
    public void giveUp() {
        CompletableFuture<Lease> wait = waits.poll();
        if (wait != null) {
            wait.cancel(false);
        }
    }

    @Operation
    public void release() {
        Lease lease = held.getAndSet(null);
        if (lease != null) {
            inside.decrementAndGet();
            lease.release();
        }
    }

    @Validate
    public void nothingWentWrong() {
        if (!violation.get().isEmpty()) {
            throw new IllegalStateException(violation.get());
        }
        if (held.get() == null && waits.stream().anyMatch(wait -> !wait.isDone())) {
            throw new IllegalStateException("somebody waits although the lock is free");
        }
        if (held.get() == null && !locks.list("", 10).isEmpty()) {
            throw new IllegalStateException("the store has a holder that nobody knows of: " + locks.list("", 10));
        }
    }

    private void enter(Lease lease) {
        if (inside.incrementAndGet() != 1) {
            violation.set("two holders at once");
        }
        if (lease.token() <= lastToken.getAndSet(lease.token())) {
            violation.set("a token that is not larger than the one before");
        }
        held.set(lease);
    }

    @Test
    void modelChecking() {
        new ModelCheckingOptions()
                .threads(THREADS)
                .actorsPerThread(STEPS_PER_THREAD)
                .actorsBefore(1)
                .actorsAfter(1)
                .iterations(10)
                .invocationsPerIteration(100)
                .checkObstructionFreedom(false)
                .addGuarantee(forClasses("dev.holdfast.store.table.LockTable", "java.util.concurrent.ConcurrentHashMap")
                        .allMethods()
                        .treatAsAtomic())
                .sequentialSpecification(AnythingGoes.class)
                .check(GateInterleavingsTest.class);
    }

    @Test
    void stress() {
        new StressOptions()
                .threads(THREADS)
                .actorsPerThread(STEPS_PER_THREAD)
                .iterations(10)
                .invocationsPerIteration(300)
                .sequentialSpecification(AnythingGoes.class)
                .check(GateInterleavingsTest.class);
    }

    /** The operations return nothing, so every order is a legal one: what counts are the checks above. */
    public static final class AnythingGoes {
        public void tryOnce() {}

        public void queueUp() {}

        public void giveUp() {}

        public void release() {}
    }

    private static Client inlineClient(LockOptions options) {
        MonotonicClock stopped = () -> 1;
        Timeline never = new Timeline() {
            @Override
            public void schedule(Timed timed, long dueNanos) {}

            @Override
            public void cancel(Timed timed) {}
        };
        AtomicReference<LockStore> store = new AtomicReference<>();
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(Lane lane, Function<LockStore, R> call, Reply<R> reply) {
                reply.on(stopped.nanos(), call.apply(store.get()), null);
            }
        };
        Random random = new Random(1);
        AtomicLong owners = new AtomicLong();
        Surroundings surroundings = new Surroundings(
                stopped, never, inline, Runnable::run, random, () -> new OwnerId(0, owners.incrementAndGet()));
        Function<StoreListener, LockStore> opener = listener -> {
            store.set(new MemoryStoreProvider()
                    .open(
                            StoreUri.parse("memory:", Map.of(), null),
                            new StoreContext(
                                    "lincheck",
                                    stopped,
                                    (delay, task) -> () -> {},
                                    Runnable::run,
                                    Duration.ofSeconds(1),
                                    random,
                                    listener)));
            return store.get();
        };
        return Client.open("lincheck", surroundings, opener, options, null, () -> {});
    }
}
