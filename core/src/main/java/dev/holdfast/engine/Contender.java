package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One claim at the store, from its first request to its end. Serves the head of its gate's line, whoever that is by then;
 * or, as a direct attempt, one waiter outside of the line.
 *
 * <pre>
 *   begin ──▶ ASKING ──"taken" or no answer──▶ WAITING   in the store's line, or until the next try
 *              │ ▲ └────────hint or timer────────┘ ▲     (begins here after an unanswered direct attempt)
 *         hint │ └─"taken": asks once more         │
 *              ▼                                   │
 *         ASKING_AGAIN ──no answer─────────────────┘     (or its waiter left before it was asked at all)
 *
 *   any ──granted, refused for good, or nobody wants it any more──▶ OVER
 * </pre>
 *
 * <p>Guarded by its gate.
 */
final class Contender extends Timed {
    enum State {
        ASKING,
        ASKING_AGAIN,
        WAITING,
        OVER
    }

    /** More losses of one claim before its first answer are not to be expected. */
    private static final int MOST_LOST_EPOCHS = 1_000;

    final Gate gate;
    final Terms terms;
    final Claim claim;

    /**
     * The waiter of a direct attempt; null where it serves the line, and when it was granted: a lease must not be reachable
     * from its claim, or nobody would notice that it was forgotten.
     */
    @Nullable
    Waiter directFor;

    private State state = State.ASKING;

    /** Whether the store's last answer was that somebody else has the lock. */
    private boolean saidTaken;

    /** When the request was sent that was answered so. */
    private long takenNanos;

    /** How many requests in a row were not answered. */
    private int failures;

    /** Whether the timeline may know of it. The common claim, which is granted at once, never needs to look there. */
    private boolean timed;

    /** Some request of it was never answered, and may still arrive at the store. */
    private boolean mayStillArrive;

    /** Set when it is over, if something of it may be left at the store. */
    private @Nullable Leftovers leftovers;

    /** Whether the store has granted it anything: then it has left the store's line. */
    boolean wasServed;

    /** What it was granted. */
    @Nullable
    HeldGrant grant;

    /** Epochs of grants whose loss was told before they came; null if there are none. */
    private @Nullable Set<Long> lostEpochs;

    /** Idle grants that must go back before the claim can succeed. Changed under the gate's monitor, read by everybody. */
    private volatile @Nullable List<HeldGrant> idleToReturn;

    /** When it is too late for the first call. Written before that call, and read by it. */
    private long askBeforeNanos = Long.MAX_VALUE;

    /** When the first call was made, if idle grants had to be given back before. Written by that call, before its answer. */
    private volatile long askedNanos = Long.MIN_VALUE;

    Contender(Gate gate, Terms terms, Claim claim, @Nullable Waiter directFor) {
        this.gate = gate;
        this.terms = terms;
        this.claim = claim;
        this.directFor = directFor;
    }

    /** Before its first call: adds what that call has to give back to the store. */
    void addIdle(HeldGrant idle) {
        synchronized (gate) {
            List<HeldGrant> idleGrants = idleToReturn == null ? new ArrayList<>(1) : idleToReturn;
            idleGrants.add(idle);
            idleToReturn = idleGrants;
        }
    }

    private List<HeldGrant> takeIdle() {
        // Almost always there is none, and then no monitor is needed.
        if (idleToReturn == null) {
            return List.of();
        }
        synchronized (gate) {
            List<HeldGrant> taken = idleToReturn == null ? List.of() : idleToReturn;
            idleToReturn = null;
            return taken;
        }
    }

    /** When it is too late for the first call, if idle grants had to be given back before. Set before that call. */
    void askBefore(long nanos) {
        askBeforeNanos = nanos;
    }

    /** Asks the store for the first time. */
    AcquireOutcome ask(LockStore store) {
        returnIdle(store);
        return Objects.requireNonNull(store.tryAcquire(claim), "the store's answer");
    }

    boolean hasIdleToReturn() {
        return idleToReturn != null;
    }

    /** Makes way for the first call; fails if an idle grant cannot be given back in time: then there is no use in asking. */
    void returnIdle(LockStore store) {
        List<HeldGrant> idle = takeIdle();
        if (!idle.isEmpty()) {
            gate.engine.cleanup.releaseNow(store, idle);
            askedNanos = gate.engine.now();
            if (askedNanos >= askBeforeNanos) {
                throw Objects.requireNonNull(Refusal.noAnswer(terms).fault());
            }
        }
    }

    /**
     * The moment that a grant counts from. It must never be later than the sending of the request, or a lease could outlive its
     * grant; earlier costs a part of the lease. Who asks on the calling thread notes when the wait began; requests in the
     * background note the time right before the call; and where idle grants had to go back first, the time after that is
     * noted here, which is still before the request.
     */
    long sentNanos(long notedNanos) {
        return Math.max(notedNanos, askedNanos);
    }

    /** Whether an answer grants all that was asked for. */
    boolean isGrantedBy(List<Grant> grants) {
        return grants.size() == claim.parts().size();
    }

    /** Whether anybody wants its answer, for those who do not have the monitor. */
    boolean isNeeded() {
        synchronized (gate) {
            return state != State.OVER && (directFor == null || !directFor.isSettled());
        }
    }

    /** What it was granted, for those who do not have the monitor. */
    @Nullable
    HeldGrant currentGrant() {
        synchronized (gate) {
            return grant;
        }
    }

    boolean isOver() {
        return state == State.OVER;
    }

    boolean isAsking() {
        return state == State.ASKING || state == State.ASKING_AGAIN;
    }

    boolean saidTaken() {
        return saidTaken;
    }

    boolean mayStillArrive() {
        return mayStillArrive;
    }

    /** Whether its last request was not answered. */
    boolean lastRequestFailed() {
        return failures > 0;
    }

    /** A reason to ask again came up. */
    void askSoon(long now) {
        if (state == State.WAITING) {
            gate.engine.poller.add(this, now);
            state = State.ASKING;
            clearTimer();
        } else if (state == State.ASKING) {
            state = State.ASKING_AGAIN;
        }
    }

    /** The store told the loss of a grant of this claim, which may not have come yet. */
    void lost(long epoch) {
        if (lostEpochs == null) {
            lostEpochs = new HashSet<>(2);
        }
        if (lostEpochs.size() < MOST_LOST_EPOCHS) {
            lostEpochs.add(epoch);
        }
    }

    /** Whether a grant that has just come was taken away already. */
    boolean wasLost(HeldGrant fresh) {
        Set<Long> lost = lostEpochs;
        return lost != null && fresh.grants.stream().anyMatch(grant -> lost.contains(grant.epoch()));
    }

    /** No request is under way any more; returns whether a reason to ask again came up meanwhile. */
    boolean replyCame() {
        boolean again = state == State.ASKING_AGAIN;
        if (state != State.OVER) {
            state = State.WAITING;
        }
        return again;
    }

    /** The store said that somebody else has the lock; returns for whom that is true, as {@link #takenSince} does. */
    long heardTaken(long sentNanos) {
        saidTaken = true;
        failures = 0;
        takenNanos = sentNanos(sentNanos);
        return takenSince(takenNanos);
    }

    /** When the request was sent that was last answered so. */
    long takenNanos() {
        return takenNanos;
    }

    /**
     * For whom it is true that the lock is taken: for waiters that began by the moment that is returned. A claim that stood
     * in the store's line until now was ahead of everybody; otherwise all that is known is what the store said to a request.
     */
    long takenSince(long sentNanos) {
        return claim.queue() && gate.engine.storeHasLines ? gate.engine.now() : sentNanos;
    }

    /** The store did not answer; returns how often it had not before, in a row. */
    int heardNothing() {
        saidTaken = false;
        mayStillArrive = true;
        return failures++;
    }

    /** If its first call was not made, the idle grants that it should have given back go back now. */
    void returnIdleLater(AfterUnlock after) {
        for (HeldGrant idle : takeIdle()) {
            gate.engine.cleanup.release(idle, after);
            gate.engine.cleanup.closingNeedNotWait();
        }
    }

    /** Nobody wants it any more. What it may have left at the store is cleared away. */
    void drop(AfterUnlock after) {
        boolean replyDue = stopAsking();
        returnIdleLater(after);
        state = State.OVER;
        leftovers = new Leftovers(this, replyDue, false);
        leftovers.claimIsOver(after);
    }

    /** It was refused and did not ask to stay in line. Only an earlier request can have left something behind. */
    void end(AfterUnlock after) {
        if (mayStillArrive) {
            drop(after);
        } else {
            state = State.OVER;
        }
    }

    /**
     * Takes back a request that was not sent yet, because it could be granted anew, to nobody.
     *
     * @return whether one is under way, so that a reply is due
     */
    private boolean stopAsking() {
        return isAsking() && !gate.engine.poller.remove(this);
    }

    /** It was granted. Returns what may be left of it when the grant has ended; null if nothing can. */
    @Nullable
    Leftovers succeed(boolean pushed) {
        boolean replyDue = stopAsking();
        state = State.OVER;
        if (pushed || mayStillArrive) {
            leftovers = new Leftovers(this, replyDue, pushed);
        }
        return leftovers;
    }

    /** An answer came after it was over. */
    void answeredLate(@Nullable AcquireOutcome outcome, @Nullable Throwable failure, AfterUnlock after) {
        if (leftovers != null) {
            leftovers.replied(outcome, failure, after);
        }
    }

    /** Sees to it that it is asked for again at a moment, if nothing comes up before. */
    void askAt(long nanos) {
        state = State.WAITING;
        timed = true;
        gate.engine.timeline.schedule(this, nanos);
    }

    void clearTimer() {
        if (timed) {
            timed = false;
            gate.engine.timeline.cancel(this);
        }
    }

    /** Whether this claim is one that a waiter at the head of the line would make. */
    boolean serves(@Nullable Waiter waiter) {
        return waiter != null && waiter.terms.equals(terms) && waiter.triesOnce != claim.queue();
    }

    @Override
    public void onDue() {
        gate.hint(claim.owner());
    }
}
