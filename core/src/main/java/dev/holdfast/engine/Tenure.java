package dev.holdfast.engine;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The time that this client holds one grant of the store: its deadline, its renewals, and the leases drawn from it one
 * after another. Guarded by its gate, except where a field says otherwise.
 */
final class Tenure {
    /** A renewal is due after this part of the time that the store gave. */
    private static final int RENEWALS_PER_LEASE = 3;

    /** Of a pushed grant. */
    private static final long LONGEST_UNRENEWED_NANOS = 20_000_000;

    /** Renewal times are rounded to this part of the lease, so that many renewals share a request. */
    private static final int RENEWAL_SLOTS_PER_LEASE = 30;

    final Gate gate;
    final Terms terms;
    final List<Grant> grants;
    private final Alarm alarm;

    /** When the budget of hand-offs counts from. */
    final long grantedNanos;

    /** Some request of the claim was unanswered when it was granted; set before the first lease is lent. */
    boolean mayHaveStrays;

    /** The claim, if some request of it may still arrive and has to be kept from taking effect. */
    @Nullable
    Claim strayClaim;

    /** The claim, if its grant was pushed: by the time of a loss it may stand in the store's line once more. */
    @Nullable
    Claim queuedClaim;

    /** Until when the grant can be trusted; written by the gate, read by everybody. */
    volatile long validUntilNanos;

    private long renewAtNanos;

    /** A renewal is under way or about to be sent. */
    boolean renewing;

    /** Another client waits. Never taken back: a late "nobody waits" could hide a newer word. */
    boolean wanted;

    /** Released, lost or given back. */
    boolean ended;

    /** The store has answered its release. */
    boolean settled;

    /** Give the grant back once the renewal under way has settled. */
    boolean releaseAfterRenewal;

    private int sequence = -1;
    int handOffs;

    /** The lease that is out, or null while kept idle. */
    @Nullable
    Hold hold;

    /** While idle: how long to keep it. */
    long idleUntilNanos = Long.MAX_VALUE;

    Tenure(Gate gate, Terms terms, List<Grant> grants, long anchorNanos, long grantedNanos, long validUntilNanos) {
        this.alarm = gate.tenancy().alarmFor(terms);
        this.gate = gate;
        this.terms = terms;
        this.grants = grants;
        this.grantedNanos = grantedNanos;
        this.validUntilNanos = validUntilNanos;
        for (int i = 0; i < grants.size(); i++) {
            this.wanted |= grants.get(i).wanted();
        }
        planRenewal(anchorNanos);
    }

    Alarm alarm() {
        return alarm;
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

    /** Draws the next sequence number; each lease of a tenure has a larger token than the one before. */
    int nextSequence() {
        return ++sequence;
    }

    boolean hasSequenceLeft() {
        return sequence < Grant.LEASES_PER_GRANT - 1;
    }

    boolean isValid(long now) {
        return !ended && now < validUntilNanos;
    }

    /** Whether the budget allows one more hand-off: free while nobody else waits, bounded when somebody does. */
    boolean mayHandOff(long now) {
        return isValid(now) && hasSequenceLeft() && (!wanted || now - grantedNanos < terms.handOffNanos);
    }

    /** Plans the next renewal for about a third of the time that is left from a moment on. */
    void planRenewal(long fromNanos) {
        if (validUntilNanos == Long.MAX_VALUE) {
            renewAtNanos = Long.MAX_VALUE;
            return;
        }
        long slot = Math.max(1, terms.options.leaseTime().toNanos() / RENEWAL_SLOTS_PER_LEASE);
        long left = validUntilNanos - fromNanos;
        long third = fromNanos + left / RENEWALS_PER_LEASE;
        long rounded = third + slot / 2 - Math.floorMod(third + slot / 2, slot);
        // What is short already, such as a provisional lease, must not become later by rounding.
        renewAtNanos = Math.abs(rounded - third) <= left / RENEWAL_SLOTS_PER_LEASE ? rounded : third;
    }

    void renewAt(long nanos) {
        renewAtNanos = nanos;
    }

    /**
     * A pushed grant has a short provisional lease only, unless a session decides. Most are released before a renewal
     * could reach the store, so that one is sent after a moment only.
     */
    void renewSoon(long now) {
        if (!ended && validUntilNanos != Long.MAX_VALUE) {
            renewAtNanos = now + Math.min(LONGEST_UNRENEWED_NANOS, (validUntilNanos - now) / RENEWALS_PER_LEASE);
            plan();
        }
    }

    boolean mayStayIdle(long now) {
        return terms.stickyNanos > 0 && terms.passesLocally && !wanted && isValid(now) && hasSequenceLeft();
    }

    boolean isRenewalDue(long now) {
        return !renewing && now >= renewAtNanos;
    }

    /** The next moment at which something has to be done. */
    private long nextDueNanos() {
        long due = Math.min(validUntilNanos, renewing ? Long.MAX_VALUE : renewAtNanos);
        Hold held = hold;
        return Math.min(due, held == null ? idleUntilNanos : held.endsByNanos());
    }

    /** Sees to it that the next thing to do is not missed. */
    void plan() {
        alarm.setFor(nextDueNanos());
    }

    /** Why a lease over this tenure is over at a moment, if it is. */
    @Nullable
    LossReason lossAt(long now) {
        Hold held = hold;
        if (now >= validUntilNanos) {
            return LossReason.EXPIRED;
        }
        return held != null && now >= held.endsByNanos() ? LossReason.MAX_HOLD : null;
    }
}
