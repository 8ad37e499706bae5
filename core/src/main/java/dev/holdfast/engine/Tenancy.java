package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The half of a {@link Gate} that deals with what was granted: lending, handing on, keeping, renewing, losing and giving
 * back. Guarded by the gate's monitor; methods without one of their own are called with it held.
 *
 * <p>Longer than most files, because these steps are one state machine that has to be read together.
 */
final class Tenancy {
    private static final int MOST_LOST_GRANTS = 16;

    /** Not much more than it takes to wake a thread. */
    private static final long BRIEF_NANOS = 200_000;

    private final Gate gate;

    /** The grant that is passed on inside the client; tenures of other locks are kept by the engine. */
    private @Nullable Tenure tenure;

    /** Rings for that grant, and for the next one after it. */
    private @Nullable Alarm alarm;

    /** The epoch of which a "wanted" was heard; remembered because it may overtake the grant that it speaks of. */
    private long wantedEpoch = -1;

    /** The last few grants whose loss was heard of, for the same reason; null while there are none. */
    private @Nullable Deque<LostGrant> lostGrants;

    /** The last hold was so short that whoever is next should not fall asleep. */
    private boolean brief;

    private record LostGrant(OwnerId owner, long epoch) {}

    Tenancy(Gate gate) {
        this.gate = gate;
    }

    boolean isVacant() {
        return tenure == null;
    }

    /** The alarm for a new tenure: that of the gate, or one of its own where there can be several. */
    Alarm alarmFor(Terms terms) {
        if (!terms.passesLocally) {
            return new Alarm(gate);
        }
        if (alarm == null) {
            alarm = new Alarm(gate);
        }
        return alarm;
    }

    /** Called when the gate is retired. */
    void clearAlarm() {
        if (alarm != null) {
            alarm.clear();
        }
    }

    /** Lends an idle tenure, if there is one that fits. */
    boolean lendIdle(Waiter waiter, Aftermath aftermath) {
        Tenure idle = tenure;
        if (idle == null || idle.hold != null) {
            return false;
        }
        long now = engine().now();
        return idle.isValid(now)
                && idle.hasSequenceLeft()
                && idle.terms.equals(waiter.terms)
                && lend(idle, waiter, now, Source.STICKY, aftermath);
    }

    /** Ends an idle tenure that was of no use; returns it, so that somebody gives it back. */
    @Nullable
    Tenure endIdle() {
        Tenure idle = tenure;
        if (idle == null || idle.hold != null) {
            return null;
        }
        end(idle);
        return idle;
    }

    /** Moves in with a fresh grant and lends it to the first taker. */
    void begin(Tenure fresh, @Nullable Waiter taker, long now, Aftermath aftermath) {
        fresh.wanted |= fresh.epoch() <= wantedEpoch || !engine().seesWaiters();
        fresh.alarm().watch(fresh);
        if (fresh.terms.passesLocally) {
            tenure = fresh;
        } else {
            engine().addDetached(fresh);
        }
        if (taker == null || !lend(fresh, taker, now, Source.STORE, aftermath)) {
            if (!passOn(fresh, now, aftermath)) {
                vacate(fresh, aftermath);
            }
        }
    }

    /** Draws a lease from a tenure for a waiter; false if the waiter has given up. */
    private boolean lend(Tenure from, Waiter taker, long now, Source source, Aftermath aftermath) {
        gate.contest().line().leave(taker);
        if (!taker.claim()) {
            return false;
        }
        HeldLease lease = new HeldLease(from, taker, now);
        from.hold = lease.hold();
        from.idleUntilNanos = Long.MAX_VALUE;
        taker.settle(lease, null);
        from.plan();
        aftermath.wake(taker);
        engine().events().acquired(taker, lease.hold(), source, now, aftermath);
        return true;
    }

    /** Finds a use inside the client for a tenure that nobody holds a lease of: the next in line, or idleness. */
    private boolean passOn(Tenure free, long now, Aftermath aftermath) {
        free.hold = null;
        Waiter next = gate.contest().line().head();
        while (next != null && free.terms.passesLocally && next.terms.equals(free.terms) && free.mayHandOff(now)) {
            free.handOffs++;
            if (lend(free, next, now, Source.HAND_OFF, aftermath)) {
                wakeNext(aftermath);
                return true;
            }
            next = gate.contest().line().head();
        }
        if (next != null || !free.mayStayIdle(now)) {
            return false;
        }
        free.idleUntilNanos = now + free.terms.stickyNanos;
        free.plan();
        return true;
    }

    /**
     * Waking a thread takes longer than a short hold does, most of all on another processor that has gone idle. So the
     * next two in line are woken while the lock is out, and stay awake for a moment.
     */
    private void wakeNext(Aftermath aftermath) {
        Waiter next = gate.contest().line().head();
        if (brief && next != null) {
            aftermath.expectSoon(next, next.behind);
        }
    }

    /** Whether whoever is near the head of the line will be served within microseconds, by the look of it. */
    boolean isBrief() {
        return brief && tenure != null;
    }

    /** Ends a tenure and gives it back in the background. */
    private void vacate(Tenure free, Aftermath aftermath) {
        end(free);
        engine().settler().releaseAfter(aftermath, free);
        gate.contest().resume(aftermath);
    }

    private void end(Tenure held) {
        held.ended = true;
        if (tenure == held) {
            tenure = null;
            held.alarm().unwatch();
        } else {
            engine().removeDetached(held);
            held.alarm().clear();
        }
    }

    /**
     * Whether the store's grant is about to go back although threads of this client have been passing it on at a quick
     * pace: one of them is probably on its way back to the line and only has to be let run.
     */
    boolean isMissed(Hold hold) {
        synchronized (gate) {
            Tenure held = hold.tenure;
            return brief
                    && held.wanted
                    && held.handOffs > 0
                    && hold.state == Hold.State.HELD
                    && gate.contest().line().head() == null
                    && held.mayHandOff(engine().now());
        }
    }

    /** Takes a lease back. If the store's grant has to go back too, that is left to the caller's thread. */
    Parting release(Hold hold) {
        Aftermath aftermath = new Aftermath();
        Parting parting;
        synchronized (gate) {
            Tenure held = hold.tenure;
            long now = engine().now();
            loseIfDue(hold, now, aftermath);
            if (hold.state == Hold.State.HELD) {
                hold.state = Hold.State.RELEASED;
                brief = now - hold.acquiredNanos < BRIEF_NANOS;
                engine().events().released(hold, now, aftermath);
                if (passOn(held, now, aftermath)) {
                    parting = Parting.RELEASED;
                } else {
                    end(held);
                    gate.contest().resume(aftermath);
                    parting = Parting.RELEASE_AT_STORE;
                }
            } else {
                parting = hold.state == Hold.State.LOST ? Parting.LOST_BEFORE : Parting.RELEASED_BEFORE;
            }
            gate.retireIfIdle();
        }
        aftermath.run();
        return parting;
    }

    /**
     * The store has answered the release of a tenure.
     *
     * @param maybeNotHeld whether the grant may have been gone by then, so that its claim may be back in line
     * @return the claim that has to be withdrawn now, if any
     */
    @Nullable
    Claim settle(Tenure released, boolean maybeNotHeld) {
        if (!released.mayHaveStrays) {
            return null;
        }
        synchronized (gate) {
            released.settled = true;
            return released.strayClaim == null && maybeNotHeld ? released.queuedClaim : released.strayClaim;
        }
    }

    /** The store answered a first release with "not held": the lease had been lost without our knowing. */
    void noticeNotHeld(Hold hold) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            hold.reason = LossReason.EVICTED;
            hold.state = Hold.State.LOST;
            engine().events().lost(hold, aftermath);
        }
        aftermath.run();
    }

    /** Somebody else waits for what was granted under an epoch. */
    void wanted(long epoch) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            Tenure held = tenure;
            if (held == null || held.epoch() != epoch) {
                wantedEpoch = Math.max(wantedEpoch, epoch);
                return;
            }
            markWanted(held, aftermath);
            gate.retireIfIdle();
        }
        aftermath.run();
    }

    /** Somebody else waits: a tenure that is kept idle goes back at once. */
    void markWanted(Tenure held, Aftermath aftermath) {
        held.wanted = true;
        if (held.hold == null && !held.ended) {
            vacate(held, aftermath);
        }
    }

    /** Something about a tenure is due: its end, its renewal, or the end of its idleness. */
    void rung(Alarm ringing) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            Tenure due = ringing.answer();
            if (due == null || due.ended) {
                return;
            }
            long now = engine().now();
            LossReason reason = due.lossAt(now);
            if (reason != null) {
                lose(due, reason, aftermath);
            } else if (due.hold == null && now >= due.idleUntilNanos) {
                vacate(due, aftermath);
            } else {
                if (due.isRenewalDue(now)) {
                    due.renewing = true;
                    engine().renewer().add(due, now);
                }
                due.plan();
            }
            gate.retireIfIdle();
        }
        aftermath.run();
    }

    /** Whether a renewal that is about to be sent still makes sense. */
    boolean mayRenew(Tenure due) {
        Aftermath aftermath = new Aftermath();
        boolean sensible;
        synchronized (gate) {
            sensible = !due.ended;
            if (!sensible) {
                renewalSettled(due, aftermath);
            }
        }
        aftermath.run();
        return sensible;
    }

    private void renewalSettled(Tenure asked, Aftermath aftermath) {
        asked.renewing = false;
        if (asked.releaseAfterRenewal) {
            asked.releaseAfterRenewal = false;
            engine().settler().releaseAfter(aftermath, asked);
        }
    }

    /** Takes the store's answers to the renewal of a tenure, one per grant. */
    void renewed(Tenure asked, long sentNanos, List<RenewOutcome> outcomes) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            renewalSettled(asked, aftermath);
            if (!asked.ended) {
                apply(asked, sentNanos, outcomes, aftermath);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
    }

    private void apply(Tenure asked, long sentNanos, List<RenewOutcome> outcomes, Aftermath aftermath) {
        long now = engine().now();
        LossReason reason = asked.lossAt(now);
        long validUntil = Long.MAX_VALUE;
        boolean unknown = false;
        for (RenewOutcome outcome : outcomes) {
            if (outcome instanceof RenewOutcome.Renewed renewed) {
                validUntil = Math.min(validUntil, Deadline.of(sentNanos, renewed.validFor()));
                asked.wanted |= renewed.wanted();
            } else if (outcome instanceof RenewOutcome.Lost lost) {
                reason = lost.reason();
            } else if (outcome instanceof RenewOutcome.Unknown cause) {
                unknown = true;
                engine().events().storeFailed("renew", asked.terms.describe(), cause.cause(), aftermath);
            }
        }
        if (reason != null) {
            lose(asked, reason, aftermath);
        } else if (asked.wanted && asked.hold == null) {
            vacate(asked, aftermath);
        } else if (unknown) {
            asked.renewAt(now + engine().pace().renewalBackoff(asked.terms));
            asked.plan();
        } else {
            asked.validUntilNanos = validUntil;
            asked.planRenewal(sentNanos);
            asked.plan();
        }
    }

    /** Remembers the loss of a grant that may not have come yet. */
    void lostBefore(OwnerId owner, long epoch) {
        synchronized (gate) {
            if (lostGrants == null) {
                lostGrants = new ArrayDeque<>();
            }
            lostGrants.add(new LostGrant(owner, epoch));
            if (lostGrants.size() > MOST_LOST_GRANTS) {
                lostGrants.remove();
            }
        }
    }

    boolean wasLost(Tenure fresh) {
        Deque<LostGrant> lost = lostGrants;
        return lost != null
                && fresh.grants.stream().anyMatch(grant -> lost.contains(new LostGrant(grant.owner(), grant.epoch())));
    }

    @Nullable
    Tenure tenure() {
        synchronized (gate) {
            return tenure;
        }
    }

    void loseNow(Tenure held, LossReason reason) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            if (!held.ended) {
                lose(held, reason, aftermath);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
    }

    /** Moves a deadline forward, for time that may have passed unseen. */
    void shorten(Tenure held, long byNanos) {
        synchronized (gate) {
            if (held.ended || held.validUntilNanos == Long.MAX_VALUE) {
                return;
            }
            held.validUntilNanos -= byNanos;
            held.plan();
        }
    }

    /**
     * Notices a loss that the clock shows but nobody has told yet, and takes a listener for one to come.
     *
     * @return the reason, or null if not lost
     */
    @Nullable
    LossReason noticeLoss(Hold hold, @Nullable Consumer<LossReason> listener) {
        Aftermath aftermath = new Aftermath();
        LossReason reason;
        synchronized (gate) {
            loseIfDue(hold, engine().now(), aftermath);
            reason = hold.reason;
            if (listener != null && hold.state == Hold.State.HELD) {
                hold.addListener(listener);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
        return reason;
    }

    private void loseIfDue(Hold hold, long now, Aftermath aftermath) {
        LossReason reason = hold.state == Hold.State.HELD ? hold.tenure.lossAt(now) : null;
        if (reason != null) {
            lose(hold.tenure, reason, aftermath);
        }
    }

    private void lose(Tenure held, LossReason reason, Aftermath aftermath) {
        end(held);
        tellLoss(held, reason, aftermath);
        held.strayClaim = held.strayClaim == null ? held.queuedClaim : held.strayClaim;
        // A renewal under way may yet reach the store: give the grant back only after it, or it would live on.
        if (held.renewing) {
            held.releaseAfterRenewal = true;
        } else {
            engine().settler().releaseAfter(aftermath, held);
        }
        gate.contest().resume(aftermath);
    }

    private void tellLoss(Tenure held, LossReason reason, Aftermath aftermath) {
        Hold hold = held.hold;
        if (hold != null) {
            hold.reason = reason;
            hold.state = Hold.State.LOST;
            engine().events().tellLoss(hold, reason, hold.takeListeners(), aftermath);
        }
    }

    /** Ends a tenure because the client closes; returns false if it had ended before. */
    boolean close(Tenure held) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            if (held.ended) {
                return false;
            }
            end(held);
            tellLoss(held, LossReason.CLIENT_CLOSED, aftermath);
            gate.retireIfIdle();
        }
        aftermath.run();
        return true;
    }

    private Engine engine() {
        return gate.engine();
    }
}
