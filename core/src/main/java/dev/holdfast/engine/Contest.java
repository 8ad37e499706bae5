package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.LockMismatchException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The half of a {@link Gate} that deals with those who wait: the line, and the claim at the store for its head. Guarded
 * by the gate's monitor; methods without one of their own are called with it held.
 *
 * <p>Longer than most files, because these steps are one state machine that has to be read together.
 */
final class Contest {
    private final Gate gate;
    private final WaitLine line = new WaitLine();

    /** The claim for the head of the line. It outlives that head if the next in line has equal terms. */
    private @Nullable Contender contender;

    Contest(Gate gate) {
        this.gate = gate;
    }

    boolean isIdle() {
        return line.head() == null && contender == null;
    }

    WaitLine line() {
        return line;
    }

    /**
     * Lets a waiter in: settles it, puts it in line, or leaves it the first call of a claim as its assignment.
     *
     * @return false if this gate is out of use and another one has to be asked
     */
    boolean enter(Waiter waiter) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            if (gate.isRetired()) {
                return false;
            }
            waiter.gate = gate;
            waiter.assignment = null;
            if (engine().isClosed()) {
                refuse(waiter, new ClientClosedException(engine().clientName()), aftermath);
            } else {
                admit(waiter, aftermath);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
        return true;
    }

    private void admit(Waiter waiter, Aftermath aftermath) {
        Tenure stale = null;
        if (line.head() == null) {
            if (gate.tenancy().lendIdle(waiter, aftermath)) {
                return;
            }
            stale = gate.tenancy().endIdle();
        }
        boolean free = line.head() == null && gate.tenancy().isVacant();
        if (!free && waiter.triesOnce) {
            refuse(waiter, null, aftermath);
        } else if (free && !waiter.terms.passesLocally && !waiter.mustQueue) {
            waiter.assignment = newContender(waiter.terms, false, waiter, stale);
        } else {
            line.join(waiter);
            if (waiter.isGone()) {
                line.leave(waiter);
                if (stale != null) {
                    engine().settler().releaseAfter(aftermath, stale);
                }
            } else if (free) {
                contender = newContender(waiter.terms, !waiter.triesOnce, null, stale);
                waiter.assignment = contender;
            } else if (gate.tenancy().isBrief() && line.isNearHead(waiter)) {
                waiter.expectSoon();
            }
        }
    }

    private Contender newContender(
            Terms terms, boolean queue, @Nullable Waiter directFor, @Nullable Tenure releaseFirst) {
        Contender fresh = new Contender(gate, terms, engine().newClaim(terms, queue), directFor, releaseFirst);
        engine().track(fresh);
        return fresh;
    }

    /**
     * Takes the store's answer to a claim.
     *
     * @return a contender whose first call the caller has to make on behalf of the same waiter, or null
     */
    @Nullable
    Contender answered(Contender asked, long sentNanos, @Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
        Aftermath aftermath = new Aftermath();
        boolean queueUp = false;
        synchronized (gate) {
            asked.calling = false;
            if (asked.tenure != null || asked.abandoned) {
                cleanUp(asked, outcome, failure, aftermath);
            } else if (outcome instanceof AcquireOutcome.Granted granted) {
                queueUp = !accept(asked, granted.grants(), sentNanos, sentNanos, aftermath)
                        && asked.directFor != null
                        && !asked.directFor.triesOnce;
            } else if (outcome instanceof AcquireOutcome.Contended contended) {
                queueUp = waitOn(asked, contended.retryHint().toNanos(), aftermath);
            } else if (outcome instanceof AcquireOutcome.Mismatch mismatch) {
                fail(asked, new LockMismatchException(mismatch.detail()), aftermath);
            } else {
                queueUp = retryAfter(asked, failure, aftermath);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
        return queueUp && asked.directFor != null ? engine().enter(asked.directFor) : null;
    }

    /** A pushed grant has no request of its own, so it counts from an anchor that the store worked out. */
    void pushed(OwnerId owner, List<Grant> grants, long anchorNanos) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            Contender asked = contender;
            if (asked == null || !asked.claim.owner().equals(owner)) {
                return;
            }
            long now = engine().now();
            if (anchorNanos == StoreListener.UNKNOWN_ANCHOR || now >= Deadline.of(anchorNanos, grants)) {
                askSoon(asked, now);
            } else if (accept(asked, grants, anchorNanos, now, aftermath)) {
                asked.tenure().mayHaveStrays = true;
                asked.tenure().queuedClaim = asked.claim;
                asked.tenure().renewSoon(now);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
    }

    /**
     * Moves in with a grant.
     *
     * @param anchorNanos what its deadline counts from
     * @param grantedNanos what the budget of hand-offs counts from: an anchor may be older than the grant
     * @return false if it had ended or was lost before it came, so that it was never held
     */
    private boolean accept(
            Contender asked, List<Grant> grants, long anchorNanos, long grantedNanos, Aftermath aftermath) {
        long now = engine().now();
        Tenure granted =
                new Tenure(gate, asked.terms, grants, anchorNanos, grantedNanos, Deadline.of(anchorNanos, grants));
        asked.tenure = granted;
        granted.mayHaveStrays = asked.mayStillArrive || asked.calling;
        granted.strayClaim = asked.mayStillArrive ? asked.claim : null;
        conclude(asked);
        if (now >= granted.validUntilNanos || gate.tenancy().wasLost(granted) || engine().isClosed()) {
            granted.ended = true;
            engine().settler().releaseAfter(aftermath, granted);
            Waiter waiter = asked.directFor != null ? asked.directFor : line.head();
            if (waiter != null && waiter.triesOnce) {
                refuse(waiter, Contender.noAnswer(asked.terms), aftermath);
            }
            if (asked.directFor != null) {
                asked.directFor.mustQueue = true;
            }
            resume(aftermath);
            return false;
        }
        gate.tenancy().begin(granted, asked.directFor != null ? asked.directFor : line.head(), now, aftermath);
        resume(aftermath);
        return true;
    }

    /** The store said no; true if the waiter of a direct attempt has to go to the line. */
    private boolean waitOn(Contender asked, long hintNanos, Aftermath aftermath) {
        asked.heardNo();
        if (asked.directFor != null) {
            conclude(asked);
            return queueUp(asked.directFor, aftermath);
        }
        Waiter first = line.head();
        if (!asked.claim.queue()) {
            conclude(asked);
            if (first != null) {
                refuse(first, null, aftermath);
            }
            resume(aftermath);
        } else if (asked.askAgain) {
            askSoon(asked, engine().now());
        } else {
            engine().timeline().schedule(asked, engine().now() + engine().pace().pollDelay(hintNanos));
        }
        return false;
    }

    private boolean queueUp(Waiter waiter, Aftermath aftermath) {
        if (waiter.triesOnce) {
            refuse(waiter, null, aftermath);
        }
        waiter.mustQueue = true;
        return !waiter.triesOnce;
    }

    /** The outcome is unknown; true if the waiter of a direct attempt has to go to the line. */
    private boolean retryAfter(Contender asked, @Nullable Throwable failure, Aftermath aftermath) {
        RuntimeException fault = asFault(asked, failure);
        asked.mayStillArrive = true;
        asked.failure = fault;
        engine().events().storeFailed("acquire", asked.claim.describe(), fault, aftermath);
        Waiter waiter = asked.directFor != null ? asked.directFor : line.head();
        if (fault instanceof StoreMisconfiguredException || waiter == null || waiter.triesOnce) {
            fail(asked, fault, aftermath);
            withdraw(asked, aftermath);
            return false;
        }
        if (asked.directFor != null) {
            conclude(asked);
            withdraw(asked, aftermath);
            return queueUp(asked.directFor, aftermath);
        }
        engine().timeline().schedule(asked, engine().now() + engine().pace().backoff(asked.failures++));
        return false;
    }

    private static RuntimeException asFault(Contender asked, @Nullable Throwable failure) {
        return failure instanceof StoreUnavailableException || failure instanceof StoreMisconfiguredException
                ? (RuntimeException) failure
                : new StoreUnavailableException("acquire", asked.claim.describe(), failure);
    }

    /** Ends a claim for the waiter it serves; those behind make claims of their own. */
    private void fail(Contender asked, RuntimeException fault, Aftermath aftermath) {
        conclude(asked);
        Waiter waiter = asked.directFor != null ? asked.directFor : line.head();
        if (waiter != null) {
            refuse(waiter, fault, aftermath);
        }
        resume(aftermath);
    }

    /** The claim is decided, one way or the other. */
    private void conclude(Contender asked) {
        asked.abandoned = asked.tenure == null;
        engine().timeline().cancel(asked);
        engine().untrack(asked);
        if (asked == contender) {
            contender = null;
        }
    }

    private void refuse(Waiter waiter, @Nullable RuntimeException fault, Aftermath aftermath) {
        line.leave(waiter);
        if (waiter.claim()) {
            waiter.settle(null, fault);
            aftermath.wake(waiter);
            engine().events().notAcquired(waiter, fault, aftermath);
        }
    }

    /** An answer that comes after its claim was settled or abandoned must leave nothing behind in the store. */
    private void cleanUp(
            Contender asked, @Nullable AcquireOutcome outcome, @Nullable Throwable failure, Aftermath aftermath) {
        asked.mayStillArrive |= failure != null;
        Tenure granted = asked.tenure;
        if (granted == null) {
            if (outcome instanceof AcquireOutcome.Granted || asked.claim.queue() || asked.mayStillArrive) {
                withdraw(asked, aftermath);
            }
        } else if (outcome instanceof AcquireOutcome.Granted again) {
            mergeOrReturn(again.grants(), granted, aftermath);
        } else if (granted.settled) {
            withdraw(asked, aftermath);
        } else if (failure != null || granted.ended) {
            // Withdrawing now could overtake the release, which would then look as if the lease had been lost.
            granted.strayClaim = asked.claim;
        }
    }

    /** A second answer may repeat the grant, with news of waiters, or be another grant, which nobody needs. */
    private void mergeOrReturn(List<Grant> again, Tenure granted, Aftermath aftermath) {
        List<Grant> others = new ArrayList<>();
        for (Grant grant : again) {
            if (granted.grants.stream().noneMatch(mine -> mine.epoch() == grant.epoch())) {
                others.add(grant);
            } else if (grant.wanted()) {
                gate.tenancy().markWanted(granted, aftermath);
            }
        }
        if (!others.isEmpty()) {
            engine().settler().releaseAfter(aftermath, others);
        }
    }

    private void withdraw(Contender asked, Aftermath aftermath) {
        engine().settler().withdrawAfter(aftermath, asked.claim, asked.mayStillArrive);
    }

    /** A waiter has given up; returns the last word from the store, if that was a failure. */
    @Nullable
    RuntimeException leave(Waiter waiter) {
        Aftermath aftermath = new Aftermath();
        RuntimeException lastWord;
        synchronized (gate) {
            lastWord = lastWordTo(waiter);
            line.leave(waiter);
            Contender current = contender;
            if (current != null && !current.serves(line.head())) {
                conclude(current);
                if (!current.calling) {
                    withdraw(current, aftermath);
                }
                resume(aftermath);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
        return lastWord;
    }

    /** What the store said last: null if that somebody else has the lock, a failure if that cannot be told. */
    private @Nullable RuntimeException lastWordTo(Waiter waiter) {
        if (waiter.inLine) {
            return contender == null ? null : contender.lastWord();
        }
        return waiter.mustQueue ? null : Contender.noAnswer(waiter.terms);
    }

    /** Makes a claim for the head of the line, if there is need and no reason to wait. */
    void resume(Aftermath aftermath) {
        Waiter first = line.head();
        if (first == null || contender != null || !gate.tenancy().isVacant() || engine().isClosed()) {
            return;
        }
        Contender fresh = newContender(first.terms, !first.triesOnce, null, null);
        contender = fresh;
        aftermath.then(() -> engine().callInBackground(fresh));
    }

    /** Asks the store once more for a waiting claim. */
    void askAgain(Contender waiting) {
        synchronized (gate) {
            if (waiting == contender) {
                askSoon(waiting, engine().now());
            }
        }
    }

    /** A hint that asking again may be worth while; of any claim if the owner is null. */
    void hint(@Nullable OwnerId owner) {
        synchronized (gate) {
            Contender waiting = contender;
            if (waiting != null && waiting.claim.queue() && (owner == null || owner.equals(waiting.claim.owner()))) {
                askSoon(waiting, engine().now());
            }
        }
    }

    private void askSoon(Contender waiting, long now) {
        waiting.askAgain = waiting.calling;
        if (!waiting.calling) {
            waiting.calling = true;
            engine().timeline().cancel(waiting);
            engine().poller().add(waiting, now);
        }
    }

    /** Fails everybody in line because the client closes; returns the claim to withdraw, if there is one. */
    @Nullable
    Contender close() {
        Aftermath aftermath = new Aftermath();
        Contender last;
        synchronized (gate) {
            for (Waiter next = line.head(); next != null; next = line.head()) {
                refuse(next, new ClientClosedException(engine().clientName()), aftermath);
            }
            last = contender;
            if (last != null) {
                conclude(last);
            }
            gate.retireIfIdle();
        }
        aftermath.run();
        return last;
    }

    /** Fails the waiter of a direct attempt because the client closes. */
    void close(Contender direct) {
        Aftermath aftermath = new Aftermath();
        synchronized (gate) {
            Waiter waiter = direct.directFor;
            conclude(direct);
            if (waiter != null) {
                refuse(waiter, new ClientClosedException(engine().clientName()), aftermath);
            }
        }
        aftermath.run();
    }

    private Engine engine() {
        return gate.engine();
    }
}
