package dev.holdfast.engine;

import dev.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A waiter without a thread: its outcome completes a future. */
final class FutureWaiter extends Waiter {
    private final CompletableFuture<@Nullable Lease> future = new CompletableFuture<>();
    private final Timed timeout = new Timeout();
    private final Executor completes;

    /** How long after its deadline its first request may be made, because idle grants have to go back before. */
    private long asksLateNanos;

    FutureWaiter(Engine engine, Terms terms, long waitNanos, Executor completes) {
        super(engine, terms, waitNanos);
        this.completes = completes;
    }

    /** Completes with the lease, or with null if somebody else has the lock. Completed from outside, it gives up. */
    CompletableFuture<@Nullable Lease> start() {
        Contender first = engine.firstRequests.enter(this);
        if (first != null && first.hasIdleToReturn()) {
            asksLateNanos = FirstRequests.ASKING_SLACK_NANOS;
        }
        if (deadlineNanos != Long.MAX_VALUE && !isSettled()) {
            engine.timeline.schedule(timeout, triesOnce ? longestAnswer() : deadlineNanos);
        }
        if (first != null) {
            engine.firstRequests.sendInBackground(first);
        }
        future.whenComplete((lease, failure) -> {
            engine.timeline.cancel(timeout);
            gate().leave(this);
        });
        return future;
    }

    /** When no answer can come any more. */
    private long longestAnswer() {
        return engine.longestAnswerBy(deadlineNanos) + asksLateNanos;
    }

    /** It may be cancelled at any time. */
    @Override
    boolean canEndWithoutAnswer() {
        return true;
    }

    @Override
    void deliver() {
        completes.execute(this::complete);
    }

    private void complete() {
        try {
            HeldLease lease = outcome();
            if (!future.complete(lease) && lease != null) {
                lease.releaseAsync();
            }
        } catch (RuntimeException failure) {
            future.completeExceptionally(failure);
        }
    }

    /** Rings when the time is up, and once more when no answer can come any more. */
    private final class Timeout extends Timed {
        @Override
        public void onDue() {
            if (isOverdue()) {
                gate().giveUp(FutureWaiter.this);
                return;
            }
            gate().expire(FutureWaiter.this);
            if (!isSettled()) {
                engine.timeline.schedule(this, longestAnswer());
            }
        }
    }
}
