package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.LockMismatchException;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way of one client to one lock: a line of local waiters of which only the head contends at the store. What happens
 * with a grant differs: {@link ExclusiveGate} passes it on inside the client, {@link SharedGate} does not.
 *
 * <p>A gate is a state machine guarded by its own monitor. A method that calls {@link #step} or has a {@code synchronized}
 * block is an entrance and is called without the monitor; all others are called with it held. Nothing that can block
 * happens under the monitor: what is to be done afterwards is collected in an {@link AfterUnlock}. A gate that is not
 * used may be retired and is never used again then.
 *
 * <p><b>At the end of each step</b> of an open client there is a contender exactly if somebody stands in line and no
 * grant of this gate is out, and it serves the head. A step on the thread for time leaves it to another thread to make it.
 * An idle grant means an empty line. A claim has at most one request under way. A direct attempt
 * ({@link Contender#directFor}, only of a {@link SharedGate}) is never the contender,
 * does not queue and is asked once.
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

    private final LastWord lastWord = new LastWord();

    private boolean retired;

    Gate(Engine engine, String key) {
        this.engine = engine;
        this.key = key;
    }

    /** Settles a new waiter, puts it in line, or leaves the first call of its claim to the caller. */
    abstract void admit(Waiter waiter, AfterUnlock after);

    /** Keeps a new grant, from which a lease is about to be drawn. */
    abstract void keep(HeldGrant fresh);

    /** Lets go of a grant that has ended; giving it back to the store is not done here. */
    abstract void forget(HeldGrant ended);

    /** Finds a use inside the client for the grant of a lease that was released; false if it has to go back. */
    abstract boolean passOn(Hold released, long now, AfterUnlock after);

    /** Another client waits for what is held. */
    abstract void markWanted(HeldGrant held, AfterUnlock after);

    /** The alarm for a new grant. */
    abstract Alarm alarm();

    /** Whether a lease of this very gate keeps everybody in line from being served. */
    abstract boolean isTakenHere();

    /** Whether neither a grant nor an attempt outside of the line needs this gate. */
    abstract boolean isUnused();

    /** Takes one step: changes what the monitor guards, and then does without it what the step left to be done. */
    final void step(Consumer<AfterUnlock> change) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            change.accept(after);
            retireIfIdle();
        }
        after.run();
    }

    /**
     * Lets a waiter in, unless this gate is out of use: then the waiter is not at this gate afterwards.
     *
     * @return a contender whose first call the caller has to make, or null
     */
    final @Nullable Contender enter(Waiter waiter) {
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            if (retired) {
                return null;
            }
            waiter.wentTo(this);
            if (engine.isClosed()) {
                settle(waiter, closed(), after);
            } else if (engine.cleanup.isFull() && waiter.canEndWithoutAnswer()) {
                settle(waiter, new Refusal(engine.cleanup.fullness(waiter.terms)), after);
            } else {
                tryToAdmit(waiter, after);
                waiter.dropOwner();
            }
            retireIfIdle();
        }
        after.run();
        return after.leftToCaller();
    }

    /** Whatever goes wrong, nobody is left at the head of the line without a claim. */
    private void tryToAdmit(Waiter waiter, AfterUnlock after) {
        try {
            admit(waiter, after);
        } catch (RuntimeException | Error unable) {
            settle(waiter, Refusal.unknown(waiter.terms, unable), after);
            reviewContender(after);
        }
    }

    /**
     * Takes the store's answer to a claim.
     *
     * @return a contender whose first call the caller has to make on behalf of the same waiter, or null
     */
    final @Nullable Contender answered(
            Contender asked, long sentNanos, @Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
        if (outcome instanceof AcquireOutcome.Unknown unknown) {
            return answered(asked, sentNanos, null, unknown.cause());
        }
        AfterUnlock after = new AfterUnlock();
        synchronized (this) {
            boolean again = asked.replyCame();
            asked.returnIdleLater(after);
            if (asked.isOver()) {
                repeated(asked, outcome, after);
                asked.answeredLate(outcome, failure, after);
                if (outcome instanceof AcquireOutcome.Contended && asked.terms.passesLocally && !asked.wasServed) {
                    // Who is in line wants the same lock, with whatever options: it is taken for them, too. But what
                    // a grant of the claim has overtaken is old.
                    heard(Refusal.TAKEN, asked.takenSince(sentNanos), after);
                }
            } else if (outcome instanceof AcquireOutcome.Granted granted && asked.isGrantedBy(granted.grants())) {
                granted(asked, granted.grants(), asked.sentNanos(sentNanos), false, after);
            } else if (outcome instanceof AcquireOutcome.Contended contended) {
                taken(asked, sentNanos, again, Deadlines.nanos(contended.retryHint()), after);
            } else if (outcome instanceof AcquireOutcome.Mismatch mismatch) {
                asked.end(after);
                conclude(asked);
                Refusal why = new Refusal(new LockMismatchException(mismatch.detail()));
                fail(asked, why, after);
                // All in line ask for the same. Whose time is up cannot wait until each has had a request.
                tellOverdue(line.head(), why, engine.now(), after);
                reviewContender(after);
            } else if (outcome == null && failure == null && !asked.isNeeded()) {
                // Its waiter left before it was asked.
                asked.drop(after);
                conclude(asked);
            } else {
                unanswered(asked, failure, after);
            }
            retireIfIdle();
        }
        after.run();
        return after.leftToCaller();
    }

    /** Takes a lease back. If the store's grant has to go back too, that is left to the caller's thread. */
    final ReleaseResult release(Hold hold) {
        AfterUnlock after = new AfterUnlock();
        ReleaseResult result;
        synchronized (this) {
            long now = engine.now();
            if (!hold.grant.takeBack(hold, now, after)) {
                result = hold.state == Hold.State.LOST ? ReleaseResult.LOST_BEFORE : ReleaseResult.RELEASED_BEFORE;
            } else if (passOn(hold, now, after)) {
                result = ReleaseResult.RELEASED;
            } else {
                result = ReleaseResult.RELEASE_AT_STORE;
                hold.grant.end();
                // The next claim may reach the store before the release: then the release hands the lock on to it.
                resume(after);
            }
            retireIfIdle();
        }
        after.run();
        return result;
    }

    /** A pushed grant has no request of its own, so it counts from an anchor that the store worked out. */
    final void pushed(OwnerId owner, List<Grant> grants, long anchorNanos) {
        step(after -> {
            Contender asked = contender;
            if (asked == null || !asked.claim.owner().equals(owner)) {
                return;
            }
            long now = engine.now();
            if (anchorNanos == StoreListener.UNKNOWN_ANCHOR
                    || now >= engine.deadlines.of(anchorNanos, grants)
                    || !asked.isGrantedBy(grants)) {
                asked.askSoon(now);
            } else {
                granted(asked, grants, anchorNanos, true, after);
            }
        });
    }

    /** Nobody wants the claim any more. Its grant goes back now; a reply that is still to come may take its time. */
    final void grantedTooLate(Contender over, List<Grant> grants) {
        step(after -> {
            over.wasServed = true;
            engine.cleanup.release(grants, after);
        });
    }

    /** Begins to hold a grant; its deadline counts from the anchor, which may be older than the grant itself. */
    private void granted(Contender asked, List<Grant> grants, long anchorNanos, boolean pushed, AfterUnlock after) {
        long now = engine.now();
        if (pushed || asked.saidTaken()) {
            engine.events.remoteHandOff();
        }
        Leftovers leftovers = asked.succeed(pushed);
        long turnBeginsNanos = pushed ? now : anchorNanos;
        HeldGrant fresh = new HeldGrant(this, asked.terms, grants, anchorNanos, turnBeginsNanos, leftovers);
        asked.grant = fresh;
        asked.wasServed = true;
        conclude(asked);
        // Whatever was heard before is out of date, and this says nothing of those behind.
        lastWord.forget();
        Waiter taker = servedBy(asked);
        if (asked.directFor == null && !asked.serves(taker)) {
            // Whoever it was for has left, and the next in line asked for something else.
            taker = null;
        }
        boolean valid = fresh.isValid(now) && !engine.lostSessions.include(grants);
        boolean good = valid && !asked.wasLost(fresh) && !engine.isClosed();
        if (good && taker != null && !taker.isSettled()) {
            keep(fresh);
            lend(fresh, taker, now, Source.STORE, after);
            asked.directFor = null;
            if (pushed) {
                fresh.renewSoon(now);
            }
        } else {
            // It had ended before it came, or nobody is there any more: it was never held.
            fresh.vacate(after);
            // What came in time, and is not good although somebody is there for it, was taken away: by an eviction.
            tellNotHeld(asked, taker, asked.saidTaken() || valid, now, after);
        }
        reviewContender(after);
    }

    /** A grant came that cannot be used. Its waiter is told, if its time is up; otherwise it goes on waiting. */
    private void tellNotHeld(Contender asked, @Nullable Waiter taker, boolean taken, long now, AfterUnlock after) {
        if (taker != null && (taker.isOverdue() || now >= taker.deadlineNanos)) {
            Refusal why = taken
                    ? Refusal.TAKEN
                    : Refusal.late(asked.terms, "the lease had ended when the store's answer came");
            settle(taker, engine.isClosed() ? closed() : why, after);
        } else if (asked.directFor != null) {
            refused(asked, Refusal.TAKEN, after);
        }
    }

    /** Whoever gets what a claim is granted. */
    private @Nullable Waiter servedBy(Contender asked) {
        return asked.directFor != null ? asked.directFor : line.head();
    }

    /** Draws a lease from a grant. */
    final void lend(HeldGrant from, Waiter taker, long now, Source source, AfterUnlock after) {
        line.leave(taker);
        HeldLease lease = new HeldLease(from, taker, now);
        from.lendTo(lease.hold);
        taker.settle(lease, null);
        after.wake(taker);
        engine.events.acquired(taker, lease.hold, source, now, after);
        if (isTakenHere()) {
            heard(Refusal.TAKEN, now, after);
        } else {
            // Those whose time was up meanwhile had this one ahead of them.
            tellOverdue(Refusal.TAKEN, now, after);
        }
    }

    /** The store said that somebody else has the lock. */
    private void taken(Contender asked, long sentNanos, boolean again, long hintNanos, AfterUnlock after) {
        long since = asked.heardTaken(sentNanos);
        Waiter head = line.head();
        // That there is no room for this many says nothing of fewer.
        if (head == null || head.terms.parts.equals(asked.terms.parts)) {
            if (head != null && asked == contender) {
                // Those behind have the head before them, whenever they came.
                tellOverdue(head.behind, Refusal.TAKEN, engine.now(), after);
            }
            heard(Refusal.TAKEN, since, after);
        }
        // Its waiter may have stayed for just this word; then nobody wants the claim any more.
        if (asked.isOver()) {
            return;
        }
        if (asked.directFor != null) {
            asked.end(after);
            conclude(asked);
            refused(asked, Refusal.TAKEN, after);
        } else if (again) {
            asked.askSoon(engine.now());
        } else {
            asked.askAt(engine.now() + engine.pollDelay(hintNanos));
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
        Refusal refusal = new Refusal(fault);
        heard(refusal, engine.now(), after);
        if (asked.isOver()) {
            return;
        }
        boolean hopeless = fault instanceof StoreMisconfiguredException;
        if (!hopeless && asked.directFor == null) {
            asked.askAt(engine.now() + engine.pace.backoff(failures));
            return;
        }
        asked.drop(after);
        conclude(asked);
        if (hopeless) {
            fail(asked, refusal, after);
        } else {
            refused(asked, refusal, after);
        }
    }

    /** A direct attempt is over without a grant. */
    void refused(Contender direct, Refusal why, AfterUnlock after) {}

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

    /** Settles the waiter of a claim that is over; those behind go on. */
    private void fail(Contender asked, Refusal why, AfterUnlock after) {
        Waiter waiter = servedBy(asked);
        if (waiter != null) {
            settle(waiter, why, after);
        }
        resume(after);
    }

    /** The claim is over, one way or the other. */
    private void conclude(Contender asked) {
        asked.clearTimer();
        if (asked == contender) {
            contender = null;
        }
        concluded(asked);
    }

    /** A claim is over; it may have a grant. */
    void concluded(Contender asked) {}

    /** Ends a wait without a lease. */
    final void settle(Waiter waiter, Refusal why, AfterUnlock after) {
        if (!waiter.isSettled()) {
            line.leave(waiter);
            waiter.settle(null, why.fault());
            after.wake(waiter);
            engine.events.notAcquired(waiter, why.fault(), after);
        }
    }

    /**
     * Somebody is ahead of a waiter that asks once, so the lock counts as taken. It is told a fault only if the head of the
     * line has heard one during its own wait.
     */
    final void refuseOnce(Waiter waiter, AfterUnlock after) {
        Contender asking = contender;
        boolean stale = line.head() == null || !lastWord.isSince(line.head().startedNanos);
        boolean taken = isTakenHere() || asking == null || asking.saidTaken() || stale;
        settle(waiter, taken ? Refusal.TAKEN : lastWord.word, after);
    }

    /** Remembers the last word and tells it to those who have only stayed for it. */
    private void heard(Refusal word, long sinceNanos, AfterUnlock after) {
        lastWord.hear(word, sinceNanos);
        tellOverdue(word, sinceNanos, after);
        reviewContender(after);
    }

    /** Tells a word to those whose time is up, if they were there already when it became true. */
    private void tellOverdue(Refusal word, long sinceNanos, AfterUnlock after) {
        tellOverdue(line.head(), word, sinceNanos, after);
    }

    private void tellOverdue(@Nullable Waiter first, Refusal word, long sinceNanos, AfterUnlock after) {
        Waiter next = first;
        while (next != null && line.hasOverdue()) {
            Waiter behind = next.behind;
            if (next.isOverdue() && next.startedNanos <= sinceNanos) {
                settle(next, word, after);
            }
            next = behind;
        }
    }

    /** The time of a waiter is up. It is told what is known, or stays until something is. */
    final void expire(Waiter waiter) {
        step(after -> {
            if (waiter.isSettled() || waiter.isOverdue()) {
                return;
            }
            Contender asking = contender;
            boolean taken = isTakenHere() || (asking != null && asking.saidTaken());
            if (waiter.inLine && (taken || lastWord.isSince(waiter.startedNanos))) {
                settle(waiter, taken ? Refusal.TAKEN : lastWord.word, after);
                reviewContender(after);
            } else {
                stay(waiter, asking);
            }
        });
    }

    /** A direct attempt has its own answer coming; a claim that waits for its next try is asked for now. */
    private void stay(Waiter waiter, @Nullable Contender asking) {
        line.becomesOverdue(waiter);
        if (waiter.inLine && asking != null) {
            asking.askSoon(engine.now());
        }
    }

    /** Nothing was heard by the time at which everything must have been answered. */
    final void giveUp(Waiter waiter) {
        step(after -> {
            settle(waiter, Refusal.noAnswer(waiter.terms), after);
            reviewContender(after);
        });
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
            line.leave(waiter);
            waiter.settle(null, null);
            engine.events.abandoned(waiter, after);
            reviewContender(after);
            retireIfIdle();
        }
        after.run();
        return true;
    }

    final Refusal closed() {
        return new Refusal(new ClientClosedException(engine.clientName));
    }

    /** Drops the claim if it does not fit the head of the line, and makes one for the head if there is none. */
    private void reviewContender(AfterUnlock after) {
        Contender current = contender;
        if (current != null && !current.serves(line.head())) {
            if (current.saidTaken()) {
                lastWord.hear(Refusal.TAKEN, current.takenSince(current.takenNanos()));
            }
            current.drop(after);
            conclude(current);
        }
        resume(after);
    }

    /**
     * Makes a claim for the head of the line, if there is need and no reason to wait. Not on the thread for time, because a
     * claim needs random bits from the system, and losses are told on that thread.
     */
    final void resume(AfterUnlock after) {
        if (engine.timeline.isThisThread()) {
            if (needsContender()) {
                after.then(() -> engine.signals.execute(() -> step(this::resume)));
            }
            return;
        }
        while (needsContender()) {
            Contender fresh = contendForHead(after);
            if (fresh != null) {
                after.then(() -> engine.firstRequests.sendInBackground(fresh));
            }
        }
    }

    private boolean needsContender() {
        return line.head() != null && contender == null && !isTakenHere() && !engine.isClosed();
    }

    /** Makes a claim for the head of the line; where that fails, the head is told, and leaves the line. */
    final @Nullable Contender contendForHead(AfterUnlock after) {
        Waiter head = Objects.requireNonNull(line.head(), "head");
        try {
            // It queues: whoever asks only once was never in line without a claim, and left the line with it.
            contender = newContender(head, true, false);
            return contender;
        } catch (RuntimeException | Error unable) {
            settle(head, Refusal.unknown(head.terms, unable), after);
            return null;
        }
    }

    Contender newContender(Waiter asker, boolean queue, boolean direct) {
        return new Contender(this, asker.terms, engine.newClaim(asker, queue), direct ? asker : null);
    }

    /** A hint that asking again may be worth while; for any claim if the owner is null. */
    final void hint(@Nullable OwnerId owner) {
        synchronized (this) {
            Contender waiting = contender;
            if (waiting != null && waiting.claim.queue() && (owner == null || owner.equals(waiting.claim.owner()))) {
                waiting.askSoon(engine.now());
            }
        }
    }

    /** The store took a grant away, which may not have come yet. */
    final void lost(OwnerId owner, long epoch, LossReason reason) {
        step(after -> {
            Contender asked = contenderOf(owner);
            if (asked != null) {
                asked.lost(epoch);
            }
            HeldGrant held = grantOf(owner);
            if (held != null && held.isOf(owner, epoch)) {
                held.wasTaken(reason, after);
            }
        });
    }

    /** The claim of an owner, if it is not over. A shared claim is also found while its grant is held. */
    @Nullable
    Contender contenderOf(OwnerId owner) {
        return contender != null && contender.claim.owner().equals(owner) ? contender : null;
    }

    /** The grant that is held here and can be an owner's. */
    abstract @Nullable HeldGrant grantOf(OwnerId owner);

    /** Fails everybody in line because the client closes, and drops the claim. */
    final void close() {
        step(after -> {
            for (Waiter next = line.head(); next != null; next = line.head()) {
                settle(next, closed(), after);
            }
            reviewContender(after);
        });
    }

    /** Fails the waiter of a direct attempt because the client closes, and drops the claim. */
    final void closeDirect(Contender direct) {
        step(after -> {
            if (direct.directFor != null && !direct.isOver()) {
                settle(direct.directFor, closed(), after);
                direct.drop(after);
                conclude(direct);
            }
        });
    }

    /** Called at the end of each step. A few idle gates are kept for the next use. */
    final void retireIfIdle() {
        if (isIdle() && (engine.isClosed() || !engine.gates.keepsIdle())) {
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
            wasRetired();
            engine.gates.retired(this);
        }
    }

    /** It is never used again. */
    void wasRetired() {}
}
