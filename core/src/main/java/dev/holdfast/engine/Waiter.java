package dev.holdfast.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a lease. Its outcome is decided once, between a gate that settles it and its own giving up.
 *
 * <p>{@code PENDING → CLAIMED → SETTLED} when a gate decides, {@code PENDING → GONE} when it gives up first.
 */
abstract class Waiter {
    private static final int PENDING = 0;
    private static final int CLAIMED = 1;
    private static final int SETTLED = 2;
    private static final int GONE = 3;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Terms terms;

    /** Whether it takes no for an answer: it never stands in a line behind somebody else. */
    final boolean triesOnce;

    final long startedNanos;

    /** The stack that asked for the lease, if it was kept. */
    final @Nullable Throwable takenAt;

    /** Links in the line of its gate; guarded by that gate. */
    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    boolean inLine;

    /** The gate it went to last. */
    volatile @Nullable Gate gate;

    /** What entering a gate left to its own thread: the first call of this claim. Used by that thread only. */
    @Nullable
    Contender assignment;

    /** Set once a direct attempt found the lock taken: the next entry goes to the line. */
    boolean mustQueue;

    private volatile int state;

    /** The outcome; written between claim and settling. Neither: somebody else has the lock. */
    private @Nullable HeldLease lease;

    private @Nullable RuntimeException failure;

    Waiter(Engine engine, Terms terms, boolean triesOnce) {
        this.terms = terms;
        this.triesOnce = triesOnce;
        this.startedNanos = engine.now();
        this.takenAt = engine.leaks().callStack(startedNanos);
    }

    /** Reserves the right to settle. */
    final boolean claim() {
        return STATE.compareAndSet(this, PENDING, CLAIMED);
    }

    final void settle(@Nullable HeldLease withLease, @Nullable RuntimeException withFailure) {
        lease = withLease;
        failure = withFailure;
        state = SETTLED;
    }

    /** Gives up, if nothing was decided yet. */
    final boolean leave() {
        return STATE.compareAndSet(this, PENDING, GONE);
    }

    final boolean isGone() {
        return state == GONE;
    }

    final boolean isSettled() {
        return state == SETTLED;
    }

    /** {@return the lease, or null if somebody else has the lock} */
    final @Nullable HeldLease outcome() {
        if (failure != null) {
            throw failure;
        }
        return lease;
    }

    final @Nullable HeldLease lease() {
        return lease;
    }

    final @Nullable RuntimeException failure() {
        return failure;
    }

    /** The thread to interrupt when the lease is lost, where the terms ask for that. */
    @Nullable
    Thread interruptee() {
        return null;
    }

    /** The lock will probably come within microseconds: whoever waits had better be awake by then. */
    void expectSoon() {}

    /** Tells the outcome to whoever waits for it; called once, after settling, without any monitor. */
    abstract void deliver();
}
