package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.client.Client;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Two threads that try, wait, give up and release at random at one lock of a whole client with the memory store, round
 * after round with a new client each. Calls to the store and callbacks run inline, so a round is over when its threads are.
 */
final class ClientStress {
    private static final int ROUNDS = 4_000;
    private static final int STEPS_PER_THREAD = 8;
    private static final MonotonicClock STOPPED = () -> 1;

    private final Queue<CompletableFuture<Lease>> waits = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Lease> held = new AtomicReference<>();
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicReference<String> violation = new AtomicReference<>("");
    private final Holdfast client = inlineClient();
    private final DistributedLock gate = client.lock("gate");
    private final DistributedLock otherwise =
            client.lock("gate", LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20)));

    private ClientStress() {}

    static void run() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                ClientStress trial = new ClientStress();
                int seed = 2 * round;
                Future<?> there = threads.submit(() -> trial.visit(new Random(seed)));
                threads.submit(() -> trial.visit(new Random(seed + 1))).get();
                there.get();
                trial.check();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void visit(Random random) {
        for (int step = 0; step < STEPS_PER_THREAD; step++) {
            switch (random.nextInt(5)) {
                case 0 -> gate.tryAcquire().ifPresent(this::entered);
                case 1 -> queueUp(gate);
                case 2 -> queueUp(otherwise);
                case 3 -> giveUp();
                default -> release();
            }
        }
    }

    private void queueUp(DistributedLock lock) {
        CompletableFuture<Lease> wait = lock.acquireAsync();
        waits.add(wait);
        wait.thenAccept(this::entered);
    }

    private void giveUp() {
        CompletableFuture<Lease> wait = waits.poll();
        if (wait != null) {
            wait.cancel(false);
        }
    }

    private void release() {
        Lease lease = held.getAndSet(null);
        if (lease != null) {
            lease.release();
        }
    }

    private void entered(Lease lease) {
        long before = lastToken.getAndSet(lease.token());
        if (held.getAndSet(lease) != null) {
            violation.set("two holders at once");
        } else if (lease.token() <= before) {
            violation.set("a token that is not larger than the one before");
        }
    }

    private void check() {
        assertThat(violation.get()).isEmpty();
        if (held.get() == null) {
            assertThat(waits).as("those who wait although the lock is free").allMatch(CompletableFuture::isDone);
            assertThat(client.list("", 10)).as("what is left in the store").isEmpty();
        }
    }

    private static Client inlineClient() {
        Timeline never = new Timeline() {
            @Override
            public void schedule(Timed timed, long dueNanos) {}

            @Override
            public void cancel(Timed timed) {}
        };
        AtomicReference<LockStore> store = new AtomicReference<>();
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
                reply.on(STOPPED.nanos(), call.apply(store.get()), null);
            }
        };
        Random random = new Random(1);
        AtomicLong owners = new AtomicLong();
        Surroundings surroundings = new Surroundings(
                STOPPED,
                never,
                inline,
                Runnable::run,
                Runnable::run,
                Runnable::run,
                random,
                () -> new OwnerId(0, owners.incrementAndGet()),
                Duration.ofSeconds(1),
                true);
        Function<StoreListener, LockStore> opener = listener -> {
            StoreContext context = new StoreContext(
                    "stress",
                    STOPPED,
                    (delay, task) -> () -> {},
                    Runnable::run,
                    Duration.ofSeconds(1),
                    random,
                    listener);
            store.set(new MemoryStoreProvider().open(StoreUri.parse("memory:", Map.of(), null), context));
            return store.get();
        };
        return Client.open("stress", surroundings, opener, LockOptions.defaults(), null, () -> {});
    }
}
