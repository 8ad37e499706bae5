package dev.holdfast.engine;

import dev.holdfast.LockOptions;
import dev.holdfast.StoreFactory;
import dev.holdfast.engine.client.Client;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Clients on one thread and on a clock that a test moves. Nothing happens in the background: what is due, calls to the
 * store and callbacks wait for {@link #settle} and {@link #advance}. Not thread-safe.
 */
final class VirtualTime {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final AtomicLong now = new AtomicLong(1);
    private final TimedHeap heap = new TimedHeap();
    private final Queue<Runnable> work = new ArrayDeque<>();
    private final Random random = new Random(1);

    /** How long the call takes that is being made. */
    private Duration callTakes = Duration.ZERO;

    /** The first half of each owner id that is drawn. */
    long ownerEra = 1;

    Client open(String name, StoreFactory factory) {
        AtomicReference<@Nullable LockStore> store = new AtomicReference<>();
        return Client.open(
                name,
                surroundings(store),
                listener -> {
                    LockStore opened = factory.open(new StoreContext(
                            name, now::get, (delay, task) -> () -> {}, work::add, COMMAND_TIMEOUT, random, listener));
                    store.set(opened);
                    return opened;
                },
                LockOptions.defaults(),
                null,
                () -> {});
    }

    /** Said by a store while it is called: its answer comes so much later. */
    void callTakes(Duration time) {
        callTakes = time;
    }

    private void answerLater(Runnable reply) {
        long answeredAt = now.get() + callTakes.toNanos();
        callTakes = Duration.ZERO;
        heap.put(
                new Timed() {
                    @Override
                    public void onDue() {
                        reply.run();
                    }
                },
                answeredAt);
    }

    private Surroundings surroundings(AtomicReference<@Nullable LockStore> store) {
        Surroundings usual = TestSurroundings.of(now::get, new HeapTimeline(heap), new Calls(store), work::add);
        return new Surroundings(
                usual.clock(),
                usual.timeline(),
                usual.calls(),
                usual.callbacks(),
                usual.lossCallbacks(),
                usual.signals(),
                usual.random(),
                () -> new OwnerId(ownerEra, usual.owners().get().low()),
                usual.commandTimeout(),
                usual.staysAwake());
    }

    /** Runs everything that can be done without the clock moving. */
    void settle() {
        while (runDue() || runNext()) {
            // Each step may have given rise to another one.
        }
    }

    private boolean runNext() {
        Runnable next = work.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    private boolean runDue() {
        Timed first = heap.first();
        if (first == null || heap.firstDueNanos() > now.get()) {
            return false;
        }
        heap.remove(first);
        first.onDue();
        return true;
    }

    /** Lets time pass, step by step through everything that is due meanwhile. */
    void advance(Duration time) {
        long until = now.get() + time.toNanos();
        settle();
        while (heap.firstDueNanos() <= until) {
            now.set(Math.max(now.get(), heap.firstDueNanos()));
            settle();
        }
        now.set(until);
    }

    /** The value of a future that has nothing to wait for. */
    <T> T get(CompletableFuture<T> future) {
        settle();
        return Objects.requireNonNull(future.getNow(null), "not completed");
    }

    private final class Calls implements StoreCalls {
        private final AtomicReference<@Nullable LockStore> store;

        Calls(AtomicReference<@Nullable LockStore> store) {
            this.store = store;
        }

        @Override
        public <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
            work.add(() -> {
                long sent = now.get();
                R result = null;
                Throwable failure = null;
                try {
                    result = call.apply(Objects.requireNonNull(store.get(), "store"));
                } catch (RuntimeException unanswered) {
                    failure = unanswered;
                }
                if (callTakes.isZero()) {
                    reply.on(sent, result, failure);
                } else {
                    R answer = result;
                    Throwable fault = failure;
                    answerLater(() -> reply.on(sent, answer, fault));
                }
            });
        }

        @Override
        public void finish(BooleanSupplier isDone, long untilNanos) {
            settle();
        }
    }
}
