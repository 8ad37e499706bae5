package dev.holdfast.engine;

import dev.holdfast.HoldfastListener;
import dev.holdfast.LossReason;
import dev.holdfast.jfr.FlightRecords;
import dev.holdfast.spi.Grant;
import java.lang.ref.PhantomReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows of one lease. It refers to the user's handle only weakly, so that a forgotten handle is noticed.
 * Guarded by the gate of its grant, except where a field says otherwise.
 */
final class Hold extends PhantomReference<HeldLease> {
    /** What has become of a lease. */
    enum State {
        HELD,
        RELEASED,
        LOST
    }

    /** What to do when it is lost, and on which threads. */
    record Listener(Executor where, Consumer<LossReason> action) {}

    final HeldGrant grant;
    final int sequence;
    final long acquiredNanos;

    /** When the longest permitted hold is over. */
    final long endsByNanos;

    /** The thread to interrupt on loss, if that was asked for. */
    private final @Nullable Thread interruptee;

    /** Where the lease was taken; null if not known. */
    final @Nullable Throwable takenAt;

    /** Who else is told how it ends. */
    final @Nullable HoldfastListener follower;

    /** What the flight recorder knows of this lease, if it records. */
    final @Nullable Object flight = FlightRecords.beginHold();

    /** Written by the gate, read by everybody. */
    volatile State state = State.HELD;

    /** Why it was lost; written before the state, and read by those who have seen that. */
    @Nullable
    LossReason reason;

    /** Whether the holder knows of the loss from a quiet release. */
    volatile boolean lossAcknowledged;

    private @Nullable List<Listener> listeners;

    /** Whether the holder has begun to close; guarded by this object's monitor. */
    private boolean closing;

    Hold(HeldLease handle, HeldGrant grant, Waiter taker, long now) {
        super(handle, taker.engine.leaks.queue());
        this.grant = grant;
        this.sequence = grant.nextSequence();
        this.acquiredNanos = now;
        this.interruptee = taker.interruptee();
        this.takenAt = taker.takenAt;
        this.follower = taker.follower;
        this.endsByNanos = grant.terms.endsByNanos(now);
    }

    long token() {
        return Grant.token(grant.epoch(), sequence);
    }

    /** Computed from the clock each time: a process that slept past the deadline must not believe an old flag. */
    boolean isHeld(long now) {
        return state == State.HELD && now < grant.validUntilNanos && now < endsByNanos;
    }

    void becomeLost(LossReason why) {
        reason = why;
        state = State.LOST;
    }

    void addListener(Listener listener) {
        if (listeners == null) {
            listeners = new ArrayList<>(1);
        }
        listeners.add(listener);
    }

    List<Listener> takeListeners() {
        List<Listener> taken = listeners == null ? List.of() : listeners;
        listeners = null;
        return taken;
    }

    /** Has the thread interrupted that took the lease. A thread may do as it likes when it is interrupted, even block. */
    void interruptOn(Executor signals) {
        if (interruptee == Thread.currentThread()) {
            interrupt();
        } else {
            signals.execute(this::interrupt);
        }
    }

    boolean interrupts() {
        return interruptee != null;
    }

    /** Interrupts the thread that took the lease, unless it has begun to close it. */
    private synchronized void interrupt() {
        if (interruptee != null && !closing) {
            interruptee.interrupt();
        }
    }

    void beginClosing() {
        if (interruptee != null) {
            synchronized (this) {
                closing = true;
            }
        }
    }
}
