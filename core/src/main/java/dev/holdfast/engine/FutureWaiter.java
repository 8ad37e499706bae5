package dev.holdfast.engine;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A waiter without a thread: its outcome completes a future. */
final class FutureWaiter extends Waiter {
    private final Engine engine;
    private final CompletableFuture<@Nullable HeldLease> future = new CompletableFuture<>();
    private final Timed timeout = new Timeout();

    FutureWaiter(Engine engine, Terms terms, boolean triesOnce) {
        super(engine, terms, triesOnce);
        this.engine = engine;
    }

    /** Completes with the lease, or with null if somebody else has the lock. Completed from outside, it gives up. */
    CompletableFuture<@Nullable HeldLease> start(long waitNanos) {
        future.whenComplete((lease, failure) -> giveUp());
        if (!triesOnce && waitNanos != Long.MAX_VALUE) {
            engine.timeline().schedule(timeout, startedNanos + waitNanos);
        }
        engine.startInBackground(this);
        return future;
    }

    @Override
    void deliver() {
        engine.timeline().cancel(timeout);
        engine.callbacks().execute(() -> complete(lease(), failure()));
    }

    private void complete(@Nullable HeldLease lease, @Nullable RuntimeException failure) {
        if (failure != null) {
            future.completeExceptionally(failure);
        } else if (!future.complete(lease) && lease != null) {
            lease.releaseAsync();
        }
    }

    private void giveUp() {
        if (leave()) {
            engine.timeline().cancel(timeout);
            engine.leaveLine(this);
        }
    }

    private final class Timeout extends Timed {
        @Override
        public void onDue() {
            if (leave()) {
                RuntimeException lastWord = engine.leaveLine(FutureWaiter.this);
                engine.notAcquired(FutureWaiter.this, lastWord);
                engine.callbacks().execute(() -> complete(null, lastWord));
            }
        }
    }
}
