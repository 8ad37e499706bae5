package dev.holdfast.engine;

import dev.holdfast.spi.MonotonicClock;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A waiter whose thread is parked. */
final class BlockedWaiter extends Waiter {
    /** Around a hundred microseconds in all: a few times what it takes to wake a thread on another processor. */
    private static final int MOST_YIELDS = 300;

    private final Thread thread = Thread.currentThread();

    /** Whether not to sleep yet. */
    private volatile boolean soon;

    /** Whether it sleeps or is about to; waking a thread that is awake costs time, too. */
    private volatile boolean asleep;

    BlockedWaiter(Engine engine, Terms terms, boolean triesOnce) {
        super(engine, terms, triesOnce);
    }

    @Override
    @Nullable
    Thread interruptee() {
        return terms.options.interruptOnLoss() ? thread : null;
    }

    /**
     * Parks the calling thread until settled, interrupted or late.
     *
     * @return whether it is settled
     */
    boolean await(MonotonicClock clock, long untilNanos) {
        while (!isSettled()) {
            if (thread.isInterrupted()) {
                return false;
            }
            if (soon) {
                soon = false;
                linger();
            } else {
                long left = untilNanos == Long.MAX_VALUE ? untilNanos : untilNanos - clock.nanos();
                if (left <= 0) {
                    return false;
                }
                parkFor(left);
            }
        }
        return true;
    }

    private void parkFor(long nanos) {
        asleep = true;
        // Whoever settles this, or expects that to be soon, writes that first and looks for a sleeper then.
        if (!isSettled() && !soon) {
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, nanos);
            }
        }
        asleep = false;
    }

    /** Lets other threads run, but stays awake for a moment. Correctness does not depend on it, only speed. */
    @SuppressWarnings("ThreadPriorityCheck")
    private void linger() {
        for (int yields = 0; yields < MOST_YIELDS && !isSettled(); yields++) {
            Thread.yield();
        }
    }

    @Override
    void expectSoon() {
        soon = true;
        deliver();
    }

    /** Waits out the moment between a gate's decision and its settling. */
    void awaitSettled() {
        while (!isSettled()) {
            LockSupport.parkNanos(this, 1_000);
        }
    }

    @Override
    void deliver() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }
}
