package dev.holdfast.engine;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A waiter whose thread is parked. */
final class BlockedWaiter extends Waiter {
    /** Around a hundred microseconds in all: a few times what it takes to wake a thread on another processor. */
    private static final int MOST_YIELDS = 300;

    private final Thread thread = Thread.currentThread();
    private final boolean interruptible;

    /** Whether not to sleep yet. */
    private volatile boolean soon;

    /** Whether it sleeps or is about to; waking a thread that is awake costs time, too. */
    private volatile boolean asleep;

    BlockedWaiter(Engine engine, Terms terms, long waitNanos, boolean interruptible) {
        super(engine, terms, waitNanos);
        this.interruptible = interruptible;
    }

    @Override
    boolean canEndWithoutAnswer() {
        return interruptible || deadlineNanos != Long.MAX_VALUE;
    }

    @Override
    @Nullable
    Thread interruptee() {
        return terms.options.interruptOnLoss() ? thread : null;
    }

    /**
     * Parks the calling thread until settled, however often it is interrupted. That comes: a wait without limit is served, or the
     * client closes; a single try has been settled by its own request before this begins, or is when the client closes.
     */
    void awaitUninterruptibly() {
        boolean interrupted = false;
        while (!isSettled()) {
            parkUntil(Long.MAX_VALUE);
            interrupted |= Thread.interrupted();
        }
        engine.timeline.waitIsOver();
        if (interrupted) {
            thread.interrupt();
        }
    }

    /** Parks the calling thread until settled: by the gate, or because it is late or interrupted. */
    void await() throws InterruptedException {
        try {
            awaitOutcome();
        } finally {
            engine.timeline.waitIsOver();
        }
    }

    private void awaitOutcome() throws InterruptedException {
        long until = deadlineNanos;
        while (!isSettled()) {
            if (thread.isInterrupted()) {
                if (gate().leave(this)) {
                    Thread.interrupted();
                    throw new InterruptedException("interrupted while waiting for '" + terms.describe() + "'");
                }
            } else if (until == Long.MAX_VALUE || engine.now() < until) {
                parkUntil(until);
            } else if (isOverdue()) {
                gate().giveUp(this);
            } else {
                gate().expire(this);
                until = engine.longestAnswerBy(until);
            }
        }
    }

    private void parkUntil(long untilNanos) {
        if (soon) {
            soon = false;
            stayAwake();
            return;
        }
        asleep = true;
        // A waker writes its news and then reads asleep; this thread wrote asleep and now reads the news: one sees the
        // other.
        if (!isSettled() && !soon) {
            engine.timeline.park(this, untilNanos == Long.MAX_VALUE ? untilNanos : untilNanos - engine.now());
        }
        asleep = false;
    }

    /** Lets other threads run, but stays awake for a moment. Correctness does not depend on it, only speed. */
    @SuppressWarnings("ThreadPriorityCheck")
    private void stayAwake() {
        for (int yields = 0; yields < MOST_YIELDS && !isSettled(); yields++) {
            Thread.yield();
        }
    }

    @Override
    void expectSoon() {
        soon = true;
        deliver();
    }

    @Override
    void deliver() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }
}
