package dev.holdfast.engine;

import dev.holdfast.HoldfastListener;
import dev.holdfast.jfr.FlightRecords;
import dev.holdfast.spi.OwnerId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a lease. Its gate decides its outcome, once:
 *
 * <pre>
 *   WAITING ──time is up, nothing heard yet──▶ OVERDUE     the next word of the store decides; whoever
 *      │                                          │        tries only once begins here for that reason
 *      └──────────────┬───────────────────────────┘
 *                     ▼
 *                  SETTLED   a lease, "taken", a failure, or it has left
 * </pre>
 *
 * <p>Guarded by its gate, except where a field says otherwise.
 */
abstract class Waiter {
    private enum State {
        WAITING,
        OVERDUE,
        SETTLED
    }

    final Engine engine;
    final Terms terms;

    /** Whether it asks once and never queues. */
    final boolean triesOnce;

    final long startedNanos;

    /** When its time is up; {@code Long.MAX_VALUE} for never. */
    final long deadlineNanos;

    /** The stack that asked for the lease, if it was kept. */
    final @Nullable Throwable takenAt;

    /** Who else is told how this attempt ends. */
    final @Nullable HoldfastListener follower;

    /** What the flight recorder knows of this attempt, if it records. */
    final @Nullable Object flight = FlightRecords.beginWait();

    /** Links in the line of its gate. */
    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    boolean inLine;

    /** The gate it went to; set before anybody else knows of it. */
    private volatile @Nullable Gate gate;

    /** Written by the gate, read by everybody. */
    private volatile State state;

    /** For the first claim that is made on its behalf. Used by its own thread before it enters a gate, then by the gate. */
    private @Nullable OwnerId owner;

    /** The outcome, written before the state. If both are null, the lock is taken or the waiter has left. */
    private @Nullable HeldLease lease;

    private @Nullable RuntimeException failure;

    Waiter(Engine engine, Terms terms, long waitNanos) {
        this.engine = engine;
        this.terms = terms;
        this.triesOnce = waitNanos == 0;
        // User code: before the clock is read, from which the lease will count.
        this.follower = engine.events.attempt(terms);
        this.startedNanos = engine.now();
        this.deadlineNanos = waitNanos < Long.MAX_VALUE - startedNanos ? startedNanos + waitNanos : Long.MAX_VALUE;
        this.takenAt = engine.leaks.callStack(startedNanos);
        this.state = triesOnce ? State.OVERDUE : State.WAITING;
    }

    /** Draws an owner id, before any monitor is taken: the system may be short of random bits, or many draw at once. */
    final void drawOwner() {
        try {
            owner = engine.newOwner();
        } catch (RuntimeException | Error later) {
            // Perhaps it can be drawn when it is needed.
            owner = null;
        }
    }

    /** {@return an owner id that no other claim has} */
    final OwnerId takeOwner() {
        OwnerId drawn = owner;
        owner = null;
        return drawn != null ? drawn : engine.newOwner();
    }

    /** Whoever waits in line keeps no id: a process that is copied meanwhile would use it as well. */
    final void dropOwner() {
        owner = null;
    }

    final void wentTo(Gate entered) {
        gate = entered;
    }

    final boolean isAt(Gate other) {
        return gate == other;
    }

    final Gate gate() {
        return Objects.requireNonNull(gate, "not at a gate yet");
    }

    final void settle(@Nullable HeldLease withLease, @Nullable RuntimeException withFailure) {
        lease = withLease;
        failure = withFailure;
        state = State.SETTLED;
    }

    final void becomeOverdue() {
        state = State.OVERDUE;
    }

    final boolean isOverdue() {
        return state == State.OVERDUE;
    }

    final boolean isSettled() {
        return state == State.SETTLED;
    }

    /** {@return the lease, or null if somebody else has the lock} */
    final @Nullable HeldLease outcome() {
        if (failure != null) {
            throw Refusal.fresh(failure);
        }
        return lease;
    }

    /**
     * Whether it can end, by a limit, an interrupt or a cancellation, while the store is silent. Each that does leaves a claim to be
     * withdrawn, so that there could be ever more of them.
     */
    abstract boolean canEndWithoutAnswer();

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
