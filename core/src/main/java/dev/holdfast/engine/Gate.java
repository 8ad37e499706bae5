package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.LockMismatchException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The way of one client to one lock: a line of local waiters of which only the head contends at the store. What happens
 * with a grant differs: {@link ExclusiveGate} passes it on inside the client, {@link SharedGate} does not.
 *
 * <p>A gate is a state machine guarded by its own monitor. Methods that have no {@code synchronized} block of their own are
 * called with it held.
 * Nothing that can block happens under the monitor: what is to be done afterwards is collected in an
 * {@link AfterUnlock}. A contender exists only while somebody stands in line. A gate that is not used may be retired and
 * is never used again then.
 *
 * <p>Longer than most files, because these steps are one state machine that has to be read together.
 *
 * <p><b>What a waiter is told when its time is up.</b> The gate remembers the last word: that the lock is taken, or that
 * the store did not answer. An older word counts only while this gate's claim stands in the store's line.
 * Where there is no word yet, the waiter stays until the request under way is answered, or until it cannot be any more.
 */
abstract class Gate {
    final Engine engine;
    final String key;
    final WaitLine line = new WaitLine();

    /** The claim for the head of the line. It outlives that head if the next in line has equal terms. */
    @Nullable
    Contender contender;

    /** When the last word was heard, and what it was: null for "taken". */
    private long heardNanos = Long.MIN_VALUE;

    private @Nullable RuntimeException lastWord;

    /** How many waiters in line are overdue. */
    private int overdue;

    private boolean retired;

    Gate(Engine engine, String key) {
        this.engine = engine;
        this.key = key;
    }

    /** Settles a new waiter, puts it in line, or leaves it the first call of a claim as its assignment. */
    abstract void admit(Waiter waiter, AfterUnlock after);

    /**
     * Begins to hold what a claim was granted, on behalf of the waiter that the claim serves.
     *
     * @return whether it was still good
     */
    abstract boolean begin(HeldGrant fresh, Contender asked, long now, AfterUnlock after);

    /** The waiter of a direct attempt has been refused, or was not answered if there is a fault. */
    abstract void refusedDirectly(Contender direct, @Nullable RuntimeException fault, AfterUnlock after);

    /** Lets go of a grant that has ended; giving it back to the store is not done here. */
    abstract void forget(HeldGrant ended);

    /** The alarm for a new grant. */
    abstract Alarm alarm();

    /** Takes a lease back. If the store's grant has to go back too, that is left to the caller's thread. */
    abstract ReleaseResult release(Hold hold);

    /** Whether a lease of this very gate keeps everybody in line from being served. */
    abstract boolean isTakenHere();

    /** Whether neither a grant nor an attempt outside of the line needs this gate. */
    abstract boolean isUnused();

    /** Called when the gate is retired. */
    void clearAlarm() {}

    /** Another client waits for what is held. */
    abstract void markWanted(HeldGrant held, AfterUnlock after);

    /** Lets a waiter in; false if this gate is out of use and another one has to be asked. */
    final boolean enter(Waiter waiter) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            if (retired) {
                return false;
            }
            waiter.wentTo(this);
            if (engine.isClosed()) {
                settle(waiter, new ClientClosedException(engine.clientName), after);
            } else if (waiter.deadlineNanos != Long.MAX_VALUE && engine.cleanup.isFull()) {
                settle(waiter, engine.cleanup.fullness(waiter.terms), after);
            } else {
                admit(waiter, after);
            }
            retireIfIdle();
        }
        after.run();
        return true;
    }

    /**
     * Takes the store's answer to a claim.
     *
     * @return a contender whose first call the caller has to make on behalf of the same waiter, or null
     */
    final @Nullable Contender answered(
            Contender asked, long sentNanos, @Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
        AfterUnlock after = new AfterUnlock();
        Contender next = null;
        synchronized (this) {
            Waiter direct = asked.directFor;
            asked.releaseIdleLater(after);
            if (asked.isOver()) {
                repeated(asked, outcome, after);
                asked.answeredLate(outcome, failure, after);
            } else if (outcome instanceof AcquireOutcome.Granted granted) {
                granted(asked, granted.grants(), sentNanos, sentNanos, false, after);
            } else if (outcome instanceof AcquireOutcome.Contended contended) {
                taken(asked, contended.retryHint().toNanos(), after);
            } else if (outcome instanceof AcquireOutcome.Mismatch mismatch) {
                asked.end(after);
                fail(asked, new LockMismatchException(mismatch.detail()), after);
            } else if (failure != null || direct == null || !direct.isSettled()) {
                unanswered(asked, failure, after);
            } else {
                // Its waiter left before it was asked.
                asked.isNotAsked();
                asked.drop(after);
                conclude(asked);
            }
            if (direct != null && direct.assignment != asked) {
                next = direct.assignment;
                direct.assignment = null;
            }
            retireIfIdle();
        }
        after.run();
        return next;
    }

    /** A pushed grant has no request of its own, so it counts from an anchor that the store worked out. */
    final void pushed(OwnerId owner, List<Grant> grants, long anchorNanos) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            Contender asked = contender;
            if (asked == null || !asked.claim.owner().equals(owner)) {
                return;
            }
            long now = engine.now();
            if (anchorNanos == StoreListener.UNKNOWN_ANCHOR || now >= engine.deadlines.of(anchorNanos, grants)) {
                askSoon(asked, now);
            } else {
                granted(asked, grants, anchorNanos, now, true, after);
            }
            retireIfIdle();
        }
        after.run();
    }

    /** Moves in with a grant; its deadline counts from the anchor, which may be older than the grant itself. */
    private void granted(
            Contender asked,
            List<Grant> grants,
            long anchorNanos,
            long grantedNanos,
            boolean pushed,
            AfterUnlock after) {
        long now = engine.now();
        engine.events.granted(pushed || asked.saidTaken());
        Leftovers left = asked.succeed(pushed);
        HeldGrant fresh = new HeldGrant(this, asked.terms, grants, anchorNanos, grantedNanos, left);
        asked.grant = fresh;
        conclude(asked);
        Waiter direct = asked.directFor;
        boolean good = !engine.isClosed() && fresh.isValid(now) && begin(fresh, asked, now, after);
        if (!good) {
            // It had ended before it came, so it was never held.
            fresh.end();
            engine.cleanup.release(fresh, after);
            Waiter waiter = direct != null ? direct : line.head();
            if (waiter != null && (waiter.isOverdue() || now >= waiter.deadlineNanos)) {
                settle(waiter, noAnswer(asked.terms), after);
            } else if (direct != null) {
                refusedDirectly(asked, null, after);
            }
        } else if (pushed) {
            fresh.renewSoon(now);
        }
        resume(after);
    }

    /** The store said that somebody else has the lock. */
    private void taken(Contender asked, long hintNanos, AfterUnlock after) {
        boolean again = asked.heardTaken();
        heard(null, engine.now(), after);
        if (asked.isOver()) {
            return;
        }
        if (asked.directFor != null) {
            asked.end(after);
            conclude(asked);
            refusedDirectly(asked, null, after);
        } else if (!asked.claim.queue()) {
            asked.end(after);
            fail(asked, null, after);
        } else if (again) {
            askSoon(asked, engine.now());
        } else {
            engine.timeline.schedule(asked, engine.now() + engine.pollDelay(hintNanos));
        }
    }

    /** The outcome is unknown. */
    private void unanswered(Contender asked, @Nullable Throwable failure, AfterUnlock after) {
        RuntimeException fault =
                failure instanceof StoreUnavailableException || failure instanceof StoreMisconfiguredException
                        ? (RuntimeException) failure
                        : new StoreUnavailableException("acquire", asked.claim.describe(), failure);
        engine.events.storeFailed("acquire", asked.claim.describe(), fault, after);
        int failures = asked.heardNothing();
        heard(fault, engine.now(), after);
        if (asked.isOver()) {
            return;
        }
        boolean hopeless = fault instanceof StoreMisconfiguredException;
        if (!hopeless && asked.claim.queue()) {
            engine.timeline.schedule(asked, engine.now() + engine.pace.backoff(failures));
            return;
        }
        asked.drop(after);
        conclude(asked);
        if (!hopeless && asked.directFor != null) {
            refusedDirectly(asked, fault, after);
        } else {
            fail(asked, fault, after);
        }
    }

    /** A second answer may repeat the grant, with news of waiters, or be another grant, which nobody needs. */
    private void repeated(Contender asked, @Nullable AcquireOutcome outcome, AfterUnlock after) {
        HeldGrant held = asked.grant;
        if (held == null || !(outcome instanceof AcquireOutcome.Granted again)) {
            return;
        }
        for (Grant grant : again.grants()) {
            if (!held.isOf(grant.owner(), grant.epoch())) {
                engine.cleanup.release(List.of(grant), after);
            } else if (grant.wanted() && !held.hasEnded()) {
                markWanted(held, after);
            }
        }
    }

    /** Ends a claim for the waiter it serves, with a fault or because the lock is taken; those behind go on. */
    private void fail(Contender asked, @Nullable RuntimeException fault, AfterUnlock after) {
        conclude(asked);
        Waiter waiter = asked.directFor != null ? asked.directFor : line.head();
        if (waiter != null) {
            settle(waiter, fault, after);
        }
        resume(after);
    }

    /** The claim is over, one way or the other. */
    private void conclude(Contender asked) {
        engine.timeline.cancel(asked);
        if (asked == contender) {
            contender = null;
        }
        concluded(asked);
    }

    /** A claim is over; it may have a grant. */
    abstract void concluded(Contender asked);

    /** Ends a wait without a lease: with a fault, or because somebody else has the lock. */
    final void settle(Waiter waiter, @Nullable RuntimeException fault, AfterUnlock after) {
        if (!waiter.isSettled()) {
            remove(waiter);
            waiter.settle(null, fault);
            after.wake(waiter);
            engine.events.notAcquired(waiter, fault, after);
        }
    }

    /** Somebody is ahead of a waiter that asks once: the lock counts as taken, unless the last word was no answer. */
    final void refuseOnce(Waiter waiter, AfterUnlock after) {
        Contender asking = contender;
        boolean taken = isTakenHere() || asking == null || asking.saidTaken();
        settle(waiter, taken ? null : lastWord, after);
    }

    /** Takes a waiter out of the line, if it stands in it. */
    final void remove(Waiter waiter) {
        if (waiter.inLine) {
            line.leave(waiter);
            if (waiter.isOverdue() && !waiter.triesOnce) {
                overdue--;
            }
        }
    }

    /** Remembers the last word and tells it to those who have only stayed for it. */
    final void heard(@Nullable RuntimeException fault, long now, AfterUnlock after) {
        heardNanos = now;
        lastWord = fault;
        Waiter next = line.head();
        while (next != null && overdue > 0) {
            Waiter behind = next.behind;
            if (next.isOverdue() && !next.triesOnce) {
                settle(next, fault, after);
            }
            next = behind;
        }
        reviewContender(after);
    }

    /** The time of a waiter is up. It is told what is known, or stays until something is. */
    final void expire(Waiter waiter) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            if (waiter.isSettled() || waiter.isOverdue()) {
                return;
            }
            Contender asking = contender;
            boolean taken = isTakenHere() || (asking != null && asking.saidTaken());
            if (waiter.inLine && (taken || heardNanos >= waiter.startedNanos)) {
                settle(waiter, taken ? null : lastWord, after);
                reviewContender(after);
                retireIfIdle();
            } else {
                // A direct attempt has its own answer coming; a claim that waits for its next try is asked for now.
                waiter.becomeOverdue();
                if (waiter.inLine) {
                    overdue++;
                    askAtOnce(asking);
                }
            }
        }
        after.run();
    }

    private void askAtOnce(@Nullable Contender waiting) {
        if (waiting != null) {
            askSoon(waiting, engine.now());
        }
    }

    /** Nothing was heard by the time at which everything must have been answered. */
    final void giveUp(Waiter waiter) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            settle(waiter, noAnswer(waiter.terms), after);
            reviewContender(after);
            retireIfIdle();
        }
        after.run();
    }

    /** A waiter does not want the lock any more; false if its outcome was decided before. */
    final boolean leave(Waiter waiter) {
        if (waiter.isSettled()) {
            return false;
        }
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            if (waiter.isSettled()) {
                return false;
            }
            remove(waiter);
            waiter.settle(null, null);
            engine.events.abandoned(waiter, after);
            reviewContender(after);
            retireIfIdle();
        }
        after.run();
        return true;
    }

    static RuntimeException noAnswer(Terms terms) {
        return new StoreUnavailableException(
                "acquire", terms.describe(), new TimeoutException("the wait ended before the store answered"));
    }

    /** Drops the claim if it does not fit the head of the line, and makes one for the head if there is none. */
    private void reviewContender(AfterUnlock after) {
        Contender current = contender;
        if (current != null && !current.serves(line.head())) {
            if (current.saidTaken()) {
                // It stood in the store's line until now, so the lock has been taken until now.
                heardNanos = engine.now();
                lastWord = null;
            }
            current.drop(after);
            conclude(current);
        }
        resume(after);
    }

    /** Makes a claim for the head of the line, if there is need and no reason to wait. */
    final void resume(AfterUnlock after) {
        Waiter first = line.head();
        if (first != null && contender == null && !isTakenHere() && !engine.isClosed()) {
            Contender fresh = newContender(first.terms, !first.triesOnce, null);
            contender = fresh;
            after.then(() -> engine.callInBackground(fresh));
        }
    }

    Contender newContender(Terms terms, boolean queue, @Nullable Waiter directFor) {
        return new Contender(this, terms, engine.newClaim(terms, queue), directFor);
    }

    /** A hint that asking again may be worth while; for any claim if the owner is null. */
    final void hint(@Nullable OwnerId owner) {
        synchronized (this) {
            Contender waiting = contender;
            if (waiting != null && waiting.claim.queue() && (owner == null || owner.equals(waiting.claim.owner()))) {
                askSoon(waiting, engine.now());
            }
        }
    }

    /** Remembers the loss of a grant that may not have come yet. */
    final synchronized void lost(OwnerId owner, long epoch) {
        Contender asked = contenderOf(owner);
        if (asked != null) {
            asked.lost(epoch);
        }
    }

    /** The claim of an owner that is not over. */
    @Nullable
    Contender contenderOf(OwnerId owner) {
        return contender != null && contender.claim.owner().equals(owner) ? contender : null;
    }

    final void askSoon(Contender waiting, long now) {
        if (waiting.startAsking()) {
            engine.timeline.cancel(waiting);
            engine.poller.add(waiting, now);
        }
    }

    /** Fails everybody in line because the client closes, and drops the claim. */
    final void close() {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            for (Waiter next = line.head(); next != null; next = line.head()) {
                settle(next, new ClientClosedException(engine.clientName), after);
            }
            reviewContender(after);
            retireIfIdle();
        }
        after.run();
    }

    /** Fails the waiter of a direct attempt because the client closes, and drops the claim. */
    final void closeDirect(Contender direct) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            if (direct.directFor != null && !direct.isOver()) {
                settle(direct.directFor, new ClientClosedException(engine.clientName), after);
                direct.drop(after);
                conclude(direct);
                retireIfIdle();
            }
        }
        after.run();
    }

    /** Called at the end of each step. A few idle gates are kept for the next use. */
    final void retireIfIdle() {
        if (isIdle() && !engine.keepsIdleGates()) {
            retire();
        }
    }

    /** Retires a gate that was kept idle for a while. */
    final synchronized void sweep() {
        if (isIdle()) {
            retire();
        }
    }

    private boolean isIdle() {
        return line.head() == null && contender == null && isUnused();
    }

    private void retire() {
        if (!retired) {
            retired = true;
            clearAlarm();
            engine.retired(this);
        }
    }
}
