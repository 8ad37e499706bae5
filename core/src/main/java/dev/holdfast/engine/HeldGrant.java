package dev.holdfast.engine;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the store while this client has it: its deadline, its renewals, its loss, and the leases drawn from it one
 * after another.
 *
 * <pre>
 *   granted ──▶ IDLE ◀──▶ LENT     no lease is out, yet or any more; or one is
 *                └────┬────┘
 *                     ▼
 *                   ENDED          given back, lost, or about to be given back; never comes back to life. A grant that
 *                                  nobody wants any more when it comes ends without ever having been lent
 * </pre>
 *
 * <p>Guarded by its gate's monitor, except where a field says otherwise. Methods that call {@link Gate#step}
 * or have a {@code synchronized} block are called without it, all others with it held. Longer than most files, because a
 * grant is one state machine that has to be read together.
 */
final class HeldGrant {
    /** A renewal is due after this part of the time that the store gave. */
    private static final int RENEWALS_PER_LEASE = 3;

    /** Of a pushed grant. */
    private static final long LONGEST_UNRENEWED_NANOS = 20_000_000;

    /** Renewal times are rounded to this part of the lease, so that many renewals share a request. */
    private static final int RENEWAL_SLOTS_PER_LEASE = 30;

    private enum State {
        LENT,
        IDLE,
        ENDED
    }

    final Gate gate;
    final Terms terms;
    final List<Grant> grants;
    final Alarm alarm;
    private final @Nullable Leftovers leftovers;

    /** When its turn began. */
    private final long turnBeganNanos;

    /** Until when the grant can be trusted; written by the gate, read by everybody. */
    volatile long validUntilNanos;

    /** Another client waits. Never taken back: a late "nobody waits" could hide a newer word. Read for speed by anybody. */
    boolean wanted;

    private State state = State.IDLE;

    /** Whether a renewal is under way. */
    private boolean renewing;

    /** Whether the last renewal was not answered. */
    private boolean lastRenewalFailed;

    private long renewAtNanos;

    /** Since when a renewal is due, however often it has been tried; written by the gate, read by everybody. */
    volatile long renewalDueNanos;

    private long idleUntilNanos = Long.MAX_VALUE;
    private int sequence = -1;

    /** The lease that is out, or was the last to be out. */
    private @Nullable Hold hold;

    HeldGrant(
            Gate gate,
            Terms terms,
            List<Grant> grants,
            long anchorNanos,
            long turnBeganNanos,
            @Nullable Leftovers leftovers) {
        this.gate = gate;
        this.terms = terms;
        this.grants = grants;
        this.turnBeganNanos = turnBeganNanos;
        this.leftovers = leftovers;
        this.alarm = gate.alarm();
        this.validUntilNanos = gate.engine.deadlines.of(anchorNanos, grants);
        for (int i = 0; i < grants.size(); i++) {
            this.wanted |= grants.get(i).wanted();
        }
        planRenewal(anchorNanos);
    }

    long epoch() {
        return grants.get(0).epoch();
    }

    OwnerId owner() {
        return grants.get(0).owner();
    }

    boolean isOf(OwnerId owner, long epoch) {
        for (Grant grant : grants) {
            if (grant.owner().equals(owner) && grant.epoch() == epoch) {
                return true;
            }
        }
        return false;
    }

    boolean isOf(String session) {
        for (Grant grant : grants) {
            if (session.equals(grant.session())) {
                return true;
            }
        }
        return false;
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    boolean hasEnded() {
        return state == State.ENDED;
    }

    boolean isValid(long now) {
        return state != State.ENDED && now < validUntilNanos;
    }

    long turnEndsNanos() {
        return turnBeganNanos + terms.turnNanos(gate.engine.handOverCost);
    }

    /** Whether one more lease may be drawn: while others wait, only within the turn. */
    boolean mayBeUsedAgain(long now) {
        return isValid(now) && sequence < Grant.LEASES_PER_GRANT - 1 && (!wanted || now < turnEndsNanos());
    }

    /** Draws the next sequence number; each lease has a larger token than the one before. */
    int nextSequence() {
        return ++sequence;
    }

    /** The token of the lease that is out, or was the last to be out. */
    long token() {
        return Grant.token(epoch(), Math.max(0, sequence));
    }

    void lendTo(Hold lease) {
        state = State.LENT;
        hold = lease;
        plan();
    }

    void keepUntil(long nanos) {
        state = State.IDLE;
        idleUntilNanos = nanos;
        plan();
    }

    /** Takes the lease back that is out; false if it was lost or released before. */
    boolean takeBack(Hold lease, long now, AfterUnlock after) {
        loseIfDue(lease, now, after);
        if (lease.state != Hold.State.HELD) {
            return false;
        }
        lease.state = Hold.State.RELEASED;
        gate.engine.events.released(lease, now, after);
        return true;
    }

    /** No lease can be drawn any more. Somebody has to give the grant back to the store. */
    void end() {
        if (state != State.ENDED) {
            state = State.ENDED;
            gate.forget(this);
        }
    }

    /** Ends a grant that is not in use and gives it back in the background. */
    void vacate(AfterUnlock after) {
        end();
        gate.engine.cleanup.release(this, after);
    }

    /** The store has answered the release; called without the monitor. */
    void gaveBack(boolean maybeNotHeld) {
        gate.engine.gaveBack(terms);
        if (leftovers != null) {
            gate.step(after -> leftovers.grantIsGone(maybeNotHeld, after));
        }
    }

    /** Plans the renewal for when a third of the time from a moment on has passed. */
    private void planRenewal(long fromNanos) {
        if (validUntilNanos == Long.MAX_VALUE) {
            renewAtNanos = Long.MAX_VALUE;
            renewalDueNanos = renewAtNanos;
            return;
        }
        long slot = Math.max(1, terms.options.leaseTime().toNanos() / RENEWAL_SLOTS_PER_LEASE);
        long left = validUntilNanos - fromNanos;
        long third = fromNanos + left / RENEWALS_PER_LEASE;
        long rounded = third + slot / 2 - Math.floorMod(third + slot / 2, slot);
        // What is short already, such as a provisional lease, must not become later by rounding.
        renewAtNanos = Math.abs(rounded - third) <= left / RENEWAL_SLOTS_PER_LEASE ? rounded : third;
        renewalDueNanos = renewAtNanos;
    }

    /** A pushed grant may have a short lease and an old anchor: it is renewed within 20 ms. A short hold needs no renewal. */
    void renewSoon(long now) {
        if (validUntilNanos != Long.MAX_VALUE) {
            renewAtNanos = now + Math.min(LONGEST_UNRENEWED_NANOS, (validUntilNanos - now) / RENEWALS_PER_LEASE);
            renewalDueNanos = renewAtNanos;
            plan();
        }
    }

    /** Sees to it that the next thing to do is not missed. */
    private void plan() {
        long due = Math.min(validUntilNanos, renewing ? Long.MAX_VALUE : renewAtNanos);
        Hold lease = hold;
        if (state == State.IDLE) {
            due = Math.min(due, idleUntilNanos);
        } else if (lease != null) {
            due = Math.min(due, lease.endsByNanos);
        }
        alarm.setFor(due);
    }

    /** Something is due: its end, its renewal, or the end of its idleness. */
    void actOnDue(long now, AfterUnlock after) {
        LossReason reason = lossAt(now);
        if (reason != null) {
            lose(reason, after);
        } else if (state == State.IDLE && now >= idleUntilNanos) {
            vacate(after);
        } else {
            try {
                if (!renewing && now >= renewAtNanos) {
                    // The next time, if it cannot even be asked for.
                    renewAtNanos = retryRenewalAt(now);
                    gate.engine.renewer.add(this, lastRenewalFailed, now);
                    renewing = true;
                }
            } finally {
                plan();
            }
        }
    }

    private long retryRenewalAt(long now) {
        return now + gate.engine.pace.renewalBackoff(terms, validUntilNanos - now);
    }

    /** Why a lease over this grant is over at a moment, if it is. */
    private @Nullable LossReason lossAt(long now) {
        Hold lease = hold;
        if (now >= validUntilNanos) {
            return LossReason.EXPIRED;
        }
        return state == State.LENT && lease != null && now >= lease.endsByNanos ? LossReason.MAX_HOLD : null;
    }

    /** Whether a renewal that is about to be sent still makes sense. */
    boolean mayRenew() {
        synchronized (gate) {
            return state != State.ENDED;
        }
    }

    /** Takes the store's answers to a renewal, one per grant. */
    void renewed(long sentNanos, List<RenewOutcome> outcomes) {
        gate.step(after -> {
            renewing = false;
            if (state != State.ENDED) {
                apply(sentNanos, outcomes, after);
            }
        });
    }

    private void apply(long sentNanos, List<RenewOutcome> outcomes, AfterUnlock after) {
        long now = gate.engine.now();
        LossReason reason = lossAt(now);
        long validUntil = Long.MAX_VALUE;
        boolean unknown = false;
        boolean heardWanted = false;
        for (RenewOutcome outcome : outcomes) {
            if (outcome instanceof RenewOutcome.Renewed renewed) {
                validUntil = Math.min(validUntil, gate.engine.deadlines.of(sentNanos, renewed.validFor()));
                heardWanted |= renewed.wanted();
            } else if (outcome instanceof RenewOutcome.Lost lost) {
                reason = lost.reason();
            } else {
                unknown = true;
                Throwable cause = outcome instanceof RenewOutcome.Unknown told
                        ? told.cause()
                        : new IllegalStateException("the store answered nothing");
                gate.engine.events.storeFailed("renew", terms.describe(), cause, after);
            }
        }
        if (reason != null) {
            lose(reason, after);
            return;
        }
        lastRenewalFailed = unknown;
        if (unknown) {
            renewAtNanos = retryRenewalAt(now);
        } else {
            validUntilNanos = validUntil;
            gate.engine.events.renewed(this, Math.max(0, now - renewalDueNanos), after);
            planRenewal(sentNanos);
        }
        if (heardWanted) {
            gate.markWanted(this, after);
        }
        if (state != State.ENDED) {
            plan();
        }
    }

    /** The store took the grant away. */
    void wasTaken(LossReason reason, AfterUnlock after) {
        if (state != State.ENDED) {
            lose(reason, after);
        }
    }

    /** Makes the deadline earlier, for time that may have passed unseen. */
    void shorten(long byNanos) {
        synchronized (gate) {
            if (state != State.ENDED && validUntilNanos != Long.MAX_VALUE) {
                validUntilNanos -= byNanos;
                renewAtNanos = Math.min(renewAtNanos, gate.engine.now());
                plan();
            }
        }
    }

    /**
     * Notices a loss that the clock shows but nobody has told yet, and takes a listener for one to come.
     *
     * @return the reason, or null if not lost
     */
    @Nullable
    LossReason noticeLoss(Hold lease, Hold.@Nullable Listener listener) {
        AfterUnlock after = new AfterUnlock();
        LossReason reason;
        synchronized (gate) {
            loseIfDue(lease, gate.engine.now(), after);
            // Read here: whoever is told now must not be told a second time as a listener.
            reason = lease.reason;
            if (listener != null && lease.state == Hold.State.HELD) {
                lease.addListener(listener);
            }
            gate.retireIfIdle();
        }
        after.run();
        return reason;
    }

    private void loseIfDue(Hold lease, long now, AfterUnlock after) {
        LossReason reason = lease.state == Hold.State.HELD ? lossAt(now) : null;
        if (reason != null) {
            lose(reason, after);
        }
    }

    private void lose(LossReason reason, AfterUnlock after) {
        end();
        tellLoss(reason, after);
        // A renewal under way may arrive before the release or after it: it never brings a grant to life.
        gate.engine.cleanup.release(this, after);
        gate.resume(after);
    }

    private void tellLoss(LossReason reason, AfterUnlock after) {
        Hold lease = hold;
        if (lease != null && lease.state == Hold.State.HELD) {
            lease.becomeLost(reason);
            gate.engine.events.lost(lease, reason, after);
        }
    }

    /** The store answered a first release with "not held": the lease had been lost without our knowing. */
    void noticeNotHeld(Hold lease) {
        gate.step(after -> {
            LossReason why = gate.engine.lostSessions.include(grants) ? LossReason.SESSION_LOST : LossReason.EVICTED;
            lease.becomeLost(why);
            gate.engine.events.lostBeforeRelease(lease, why, after);
        });
    }

    /** Ends the grant because of something that concerns more than one. */
    void endBecause(LossReason reason) {
        gate.step(after -> wasTaken(reason, after));
    }
}
