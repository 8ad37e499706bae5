package dev.holdfast.test;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.StoreCalls;
import dev.holdfast.spi.LockStore;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls of one client to its store, on threads that count as unrest. Thread-safe. */
final class StoreThreads implements StoreCalls {
    private final VirtualTime time;
    private final Executor threads;
    private volatile @Nullable LockStore store;
    private volatile boolean finished;

    StoreThreads(VirtualTime time, Executor threads) {
        this.time = time;
        this.threads = threads;
    }

    void callsGoTo(LockStore opened) {
        store = opened;
    }

    @Override
    public <R> void submit(Lane lane, BooleanSupplier stillWanted, Function<LockStore, R> call, Reply<R> reply) {
        threads.execute(() -> {
            long sent = time.nanos();
            R result = null;
            Throwable failure = null;
            try {
                if (finished) {
                    throw new StoreUnavailableException(
                            "call", "the store", new IllegalStateException("the client is closed"));
                }
                if (stillWanted.getAsBoolean()) {
                    result = call.apply(Objects.requireNonNull(store, "the store is not open yet"));
                }
            } catch (RuntimeException | Error unanswered) {
                failure = unanswered;
            }
            reply.on(sent, result, failure);
        });
    }

    /** Time does not pass here: what a silent store was to be told when the client closes is not told. */
    @Override
    public void finish(BooleanSupplier isDone, long untilNanos) {
        if (!isDone.getAsBoolean()) {
            time.settleAround();
        }
        finished = true;
    }
}
