package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.spi.OwnerId;
import org.jspecify.annotations.Nullable;

/**
 * The gate of a lock, or write lock, of one name. The store's grant stays here while leases are drawn from it one after
 * another, each with a larger token:
 *
 * <pre>
 *                      ┌──▶ released, next in line ──┐
 *   no grant ──granted──▶ LENT ◀──────────────────────┘
 *                          │ ▲ └──released, nobody in line, worth keeping──▶ IDLE
 *                          │ └──────────the client comes back─────────────────┤
 *            released, lost│                     its time is over, lost, others wait
 *                          ▼                                                  ▼
 *                     no grant: the head of the line, if any, contends anew
 * </pre>
 *
 * <p><b>Turns.</b> While no other client waits, a grant may be used for as many leases as it has tokens, and be kept idle if the lock is
 * sticky. While others wait, this client has a turn that ends a certain time after the grant: a release within it passes
 * the lock to the next in line; or, with nobody in line, keeps it for about as long as this client has needed to come
 * back, if that has been much quicker than a hand-over through the store. So those in the store's line wait for at most
 * one turn and one hand-over per client ahead of them. A
 * new client would be refused in that time anyway, because others are ahead in the store's line.
 */
final class ExclusiveGate extends Gate {
    /** Not much more than it takes to wake a thread. */
    private static final long BRIEF_NANOS = 200_000;

    private @Nullable HeldGrant grant;

    /** Rings for that grant, and for the next one after it. */
    private final Alarm alarm;

    /** Null until the lock was given up for the first time. */
    private @Nullable ReturnGap returnGap;

    /** The epoch of which a "wanted" was heard; remembered because it may overtake the grant that it speaks of. */
    private long wantedEpoch = -1;

    /** The last hold was so short that whoever is next should not fall asleep. */
    private boolean brief;

    ExclusiveGate(Engine engine, String key) {
        super(engine, key);
        this.alarm = new Alarm(this);
    }

    @Override
    Alarm alarm() {
        return alarm;
    }

    @Override
    boolean isTakenHere() {
        return grant != null;
    }

    @Override
    boolean isUnused() {
        return grant == null;
    }

    @Override
    void admit(Waiter waiter, AfterUnlock after) {
        HeldGrant idle = grant != null && grant.isIdle() ? grant : null;
        boolean free = idle != null || (grant == null && line.head() == null);
        if (free && returnGap != null) {
            returnGap.returned(waiter.startedNanos);
        }
        long now = idle == null ? 0 : engine.now();
        if (idle != null && idle.terms.equals(waiter.terms) && idle.mayBeUsedAgain(now)) {
            lend(idle, waiter, now, Source.STICKY, after);
        } else if (free) {
            // First of all, because it may fail.
            Contender fresh = newContender(waiter, !waiter.triesOnce, false);
            if (idle != null) {
                idle.end();
                engine.cleanup.closingWaits();
                fresh.addIdle(idle);
            }
            line.join(waiter);
            contender = fresh;
            after.leaveToCaller(fresh);
        } else if (waiter.triesOnce) {
            refuseOnce(waiter, after);
        } else {
            line.join(waiter);
            if (brief && engine.staysAwake && grant != null && line.isNearHead(waiter)) {
                after.expectSoon(waiter, null);
            }
        }
    }

    @Override
    void keep(HeldGrant fresh) {
        grant = fresh;
        fresh.alarm.watch(fresh);
        fresh.wanted |= fresh.epoch() <= wantedEpoch || !engine.seesWaiters;
    }

    /** To the next in line, or to idleness. */
    @Override
    boolean passOn(Hold released, long now, AfterUnlock after) {
        HeldGrant free = released.grant;
        brief = now - released.acquiredNanos < BRIEF_NANOS;
        Waiter next = line.head();
        if (next != null) {
            boolean fits = next.terms.equals(free.terms) && free.mayBeUsedAgain(now);
            if (fits) {
                lend(free, next, now, Source.HAND_OFF, after);
                wakeNext(after);
            }
            return fits;
        }
        gaveUp(now);
        return keepIdle(free, now);
    }

    /** Keeps a free grant, if the lock is sticky or, while others wait, if this client will be back in a moment. */
    private boolean keepIdle(HeldGrant free, long now) {
        long until = now;
        if (free.mayBeUsedAgain(now)) {
            until += free.wanted ? lingerNanos(free, now) : free.terms.stickyNanos;
        }
        if (until <= now) {
            return false;
        }
        free.keepUntil(until);
        return true;
    }

    private long lingerNanos(HeldGrant free, long now) {
        return engine.seesWaiters && returnGap != null
                ? Math.min(returnGap.worthWaitingNanos(engine.handOverCost), free.turnEndsNanos() - now)
                : 0;
    }

    /**
     * Waking a thread takes longer than a short hold does, most of all on another processor that has gone idle. So the
     * next two in line are woken while the lock is out, and stay awake for a moment.
     */
    private void wakeNext(AfterUnlock after) {
        Waiter next = line.head();
        if (brief && engine.staysAwake && next != null) {
            after.expectSoon(next, next.behind);
        }
    }

    /** The return gap counts from the end of the release at the store. */
    synchronized void countReturnGapFrom(long now) {
        if (line.head() == null && grant == null) {
            gaveUp(now);
        }
    }

    private void gaveUp(long now) {
        if (returnGap == null) {
            returnGap = new ReturnGap();
        }
        returnGap.gaveUp(now);
    }

    /** Ends an idle grant because another lock of the same name is wanted in this client. */
    synchronized @Nullable HeldGrant yieldIdle() {
        HeldGrant idle = grant;
        if (idle == null || !idle.isIdle()) {
            return null;
        }
        idle.end();
        engine.cleanup.closingWaits();
        retireIfIdle();
        return idle;
    }

    /** Somebody else waits for what was granted under an epoch. */
    void wanted(long epoch) {
        step(after -> {
            HeldGrant held = grant;
            if (held != null && held.epoch() == epoch) {
                markWanted(held, after);
            } else {
                wantedEpoch = Math.max(wantedEpoch, epoch);
            }
        });
    }

    @Override
    void markWanted(HeldGrant held, AfterUnlock after) {
        held.wanted = true;
        if (held.isIdle() && !keepIdle(held, engine.now())) {
            held.vacate(after);
        }
    }

    @Override
    void forget(HeldGrant ended) {
        if (grant == ended) {
            grant = null;
            alarm.watch(null);
        }
    }

    @Override
    void wasRetired() {
        alarm.clear();
    }

    @Override
    @Nullable
    HeldGrant grantOf(OwnerId owner) {
        return grant;
    }

    synchronized @Nullable HeldGrant grant() {
        return grant;
    }
}
