package dev.holdfast.server.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One request for a lease, until it has its answer.
 *
 * <pre>
 *   ASKING ──contended──▶ WAITING ──pushed, or its turn to ask──▶ ASKING
 *      │                     │
 *      └──────────▶ ENDED ◀──┘     handed out, refused, time over, or the client has gone
 * </pre>
 *
 * It has a thread only while it is ASKING. What may be given back, and by whom, is the heart of it. A client that chose
 * its key may repeat the request at any time at any instance, and several instances may be busy with it at once. So:
 *
 * <ul>
 *   <li>The <b>immediate</b> try of such a request has an owner that follows from the key. Whoever repeats it finds the
 *       grant. No instance ever gives it back on its own, because another one may just be handing it out: if nobody gets
 *       to know of it, it ends with its lease.
 *   <li>A <b>waiting</b> claim has an owner of its own, which no other instance uses, so it can be withdrawn when its
 *       client goes. Its lease is short at first ({@link Leases#provisional}). Before the grant is handed out it is renewed
 *       for the whole lease: that is the point of no return. From then on it is never withdrawn, and only from then on is
 *       it found by a repeated request ({@link Repetitions}), who see by its times that it was renewed.
 *   <li>If the <b>server</b> chose the key, nobody can repeat the request: its one owner is random, and every grant that
 *       does not reach the client is given back.
 * </ul>
 *
 * Its monitor guards its fields; no call to the store is made under it.
 */
final class Acquisition {
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final int MOST_DOUBLINGS = 7;
    private static final int MOST_RESTARTS = 4;
    private static final int LOOKS_FOR_REPETITION_EVERY = 2;

    private final Leases leases;
    private final Ask ask;
    private final Asker asker;
    private final long deadlineNanos;
    private final String scope;

    /** What is asked for at present. */
    private Claim claim;

    /** Whether the claim belongs to this request alone, so that it may be withdrawn. */
    private boolean own;

    /** Whether the grant may have been made final. */
    private boolean committed;

    /** Whether a request of the claim was never answered. */
    private boolean unanswered;

    private State state = State.ASKING;
    private boolean timeOver;
    private boolean pushed;
    private int polls;
    private int failures;
    private int restarts;
    private @Nullable RuntimeException lastFailure;
    private @Nullable ScheduledFuture<?> nextPoll;
    private @Nullable ScheduledFuture<?> end;

    private enum State {
        ASKING,
        WAITING,
        ENDED
    }

    Acquisition(Leases leases, Ask ask, Asker asker, long arrivedNanos) {
        this.leases = leases;
        this.ask = ask;
        this.asker = asker;
        this.scope = ask.scope();
        this.deadlineNanos = arrivedNanos + ask.maxWait().toNanos();
        this.own = !ask.keyGiven();
        this.claim = own
                ? leases.claim(
                        ask,
                        leases.randomOwner(),
                        ask.lease(),
                        "",
                        !ask.maxWait().isZero())
                : leases.claim(ask, leases.ownerOf(scope), ask.lease(), "", false);
    }

    Ask ask() {
        return ask;
    }

    Claim claim() {
        return claim;
    }

    /** Asks for the first time; on a thread that may block. */
    void first() {
        if (asker.isGone()) {
            finish();
            return;
        }
        if (!own && ask.isShared() && findsRepetition()) {
            return;
        }
        if (own) {
            leases.register(claim.owner(), this);
        }
        tryNow();
        if (end == null && !ask.maxWait().isZero()) {
            scheduleEnd();
        }
    }

    private synchronized void scheduleEnd() {
        if (state != State.ENDED) {
            end = leases.later(Math.max(0, deadlineNanos - leases.now()), this::timeOver);
        }
    }

    private void tryNow() {
        long sent = leases.now();
        AcquireOutcome outcome;
        try {
            outcome = leases.store().tryAcquire(claim);
        } catch (RuntimeException failure) {
            failed(failure);
            return;
        }
        answered(sent, outcome, true);
    }

    /** The store has answered a poll, or the first try; on a thread that may block. */
    void answered(long sent, AcquireOutcome outcome, boolean firstTry) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            Duration left = granted.grants().get(0).validFor();
            boolean whole = left == null || left.compareTo(ask.lease().dividedBy(2)) > 0;
            // A grant that was waited for may be provisional, and others must see that it is final.
            if (firstTry && whole && !isTagged()) {
                boolean repeated = !own && leases.wasToldBefore(granted.grants(), left, ask.lease());
                hand(granted.grants(), Validity.ofGrants(sent, granted.grants(), ask.lease()), repeated);
            } else {
                confirm(granted.grants(), firstTry && !own);
            }
        } else if (outcome instanceof AcquireOutcome.Contended contended) {
            lastFailure = null;
            failures = 0;
            contended(contended.retryHint());
        } else if (outcome instanceof AcquireOutcome.Mismatch mismatch) {
            refuse(new Problem(Code.MISMATCH, mismatch.detail()));
        } else if (outcome instanceof AcquireOutcome.Unknown unknown) {
            failed(unknown.cause());
        }
    }

    private boolean isTagged() {
        return own && ask.keyGiven();
    }

    private void contended(Duration hint) {
        if (ask.maxWait().isZero()) {
            refuse(contended());
            return;
        }
        if (!own) {
            if (asker.isGone() || leases.now() >= deadlineNanos) {
                refuse(contended());
            } else if (!findsRepetition()) {
                queue();
            }
            return;
        }
        if (isTagged() && ++polls % LOOKS_FOR_REPETITION_EVERY == 0 && findsRepetition()) {
            return;
        }
        await(leases.pollDelay(hint.toNanos()));
    }

    /** The key's own claim is refused: a claim of this request alone stands in line from now on. */
    private void queue() {
        Duration provisional = Leases.provisional(ask.lease());
        String tag = leases.newTag(scope, provisional);
        synchronized (this) {
            own = true;
            claim = leases.claim(ask, leases.waitingOwner(scope, tag), provisional, tag, true);
        }
        leases.register(claim.owner(), this);
        tryNow();
    }

    private void await(long nanos) {
        boolean pushedMeanwhile = false;
        boolean over;
        synchronized (this) {
            over = timeOver || asker.isGone() || leases.isStopping();
            if (!over) {
                state = State.WAITING;
                pushedMeanwhile = pushed;
                pushed = false;
                nextPoll = leases.later(pushedMeanwhile ? 0 : nanos, this::due);
            }
        }
        if (over) {
            giveUp();
        }
    }

    /** It may be worth asking; the store says so, or the time has come. */
    void due() {
        if (!asks()) {
            return;
        }
        if (own) {
            leases.poll(this);
        } else {
            leases.ask(this, this::tryNow);
        }
    }

    /** The store has granted the claim in the meantime. */
    void granted(List<Grant> grants) {
        if (asks()) {
            leases.ask(this, () -> confirm(grants, false));
        }
    }

    /** {@return whether it waited and asks from now on; otherwise it remembers to ask again} */
    private synchronized boolean asks() {
        if (state == State.ASKING) {
            pushed = true;
        }
        if (state != State.WAITING) {
            return false;
        }
        state = State.ASKING;
        cancelPoll();
        return true;
    }

    private void cancelPoll() {
        if (nextPoll != null) {
            nextPoll.cancel(false);
            nextPoll = null;
        }
    }

    /** The claim could not be asked for; the outcome is unknown. */
    void failed(RuntimeException failure) {
        if (failure instanceof Problem problem) {
            refuse(problem);
            return;
        }
        if (!(failure instanceof StoreUnavailableException)) {
            refuse(
                    failure instanceof StoreMisconfiguredException || failure instanceof HoldfastException
                            ? new Problem(Code.MISCONFIGURED, String.valueOf(failure.getMessage()))
                            : leases.defect(failure));
            return;
        }
        unanswered = true;
        lastFailure = failure;
        if (ask.maxWait().isZero()) {
            giveUp();
            return;
        }
        long pause = FIRST_BACKOFF_NANOS << Math.min(failures++, MOST_DOUBLINGS);
        await(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2));
    }

    /** Asks the store to keep a grant for the whole lease. Afterwards it is final. */
    private void confirm(List<Grant> grants, boolean repeated) {
        synchronized (this) {
            if (asker.isGone() && own && !committed) {
                giveUpLocked();
                return;
            }
            committed = true;
        }
        long sent = leases.now();
        List<Grant> whole = Leases.lasting(grants, ask.lease());
        List<RenewOutcome> outcomes;
        try {
            outcomes = leases.store().renew(whole);
        } catch (RuntimeException failure) {
            failed(failure);
            return;
        }
        Optional<RuntimeException> unknown = outcomes.stream()
                .filter(RenewOutcome.Unknown.class::isInstance)
                .map(outcome -> ((RenewOutcome.Unknown) outcome).cause())
                .findFirst();
        if (unknown.isPresent()) {
            failed(unknown.get());
        } else if (outcomes.stream().anyMatch(RenewOutcome.Lost.class::isInstance)) {
            restart(whole);
        } else {
            hand(whole, Validity.ofRenewals(sent, outcomes, ask.lease()), repeated);
        }
    }

    /** The grant ended before it was handed out. */
    private void restart(List<Grant> lost) {
        leases.giveBack(lost);
        synchronized (this) {
            committed = false;
        }
        if (++restarts > MOST_RESTARTS) {
            refuse(new Problem(
                    Code.CANNOT_TELL,
                    "the lease ended before it could be handed out, several times; is it too short?"));
            return;
        }
        await(FIRST_BACKOFF_NANOS);
    }

    private boolean findsRepetition() {
        Optional<HeldLease> earlier;
        try {
            earlier = leases.findRepetition(ask, scope);
        } catch (StoreUnavailableException unseen) {
            return false;
        }
        if (earlier.isEmpty()) {
            return false;
        }
        Claim mine = claim;
        boolean withdraw = own;
        if (!finish()) {
            return true;
        }
        if (withdraw) {
            leases.withdraw(mine, unanswered);
        }
        asker.granted(earlier.get(), written -> {});
        return true;
    }

    private void hand(List<Grant> grants, long validUntilNanos, boolean repeated) {
        if (validUntilNanos <= leases.now()) {
            if (++restarts > MOST_RESTARTS) {
                failed(StoreUnavailableException.because(
                        "acquire", claim.describe(), "its answers take longer than the lease; ask for a longer one"));
            } else {
                confirm(grants, repeated);
            }
            return;
        }
        Claim granted = claim;
        boolean returnable = !ask.keyGiven();
        if (!finish()) {
            return;
        }
        HeldLease lease = leases.handedOut(ask, scope, grants, validUntilNanos, repeated);
        boolean onItsWay = asker.granted(lease, written -> {
            if (!written && returnable) {
                leases.takeBack(granted);
            }
        });
        if (!onItsWay && returnable) {
            leases.takeBack(granted);
        }
    }

    private void refuse(Problem problem) {
        Claim asked = claim;
        boolean withdraw = own && !(committed && isTagged());
        if (finish()) {
            if (withdraw && (claim.queue() || unanswered)) {
                leases.withdraw(asked, unanswered);
            }
            asker.refused(problem);
        }
    }

    private void timeOver() {
        endsIfWaiting();
    }

    /** The client has gone, or the server stops: what waits ends now, what is being asked for ends with its answer. */
    void end() {
        endsIfWaiting();
    }

    private void endsIfWaiting() {
        synchronized (this) {
            timeOver = true;
            if (state != State.WAITING) {
                return;
            }
            state = State.ASKING;
            cancelPoll();
        }
        giveUp();
    }

    private void giveUp() {
        RuntimeException failure = lastFailure;
        if (failure != null) {
            refuse(new Problem(
                    Code.CANNOT_TELL,
                    failure.getMessage()
                            + (ask.keyGiven()
                                    ? ". Repeat the request with the same Idempotency-Key to find out"
                                    : ". What was granted without an answer is given back")));
        } else if (leases.isStopping()) {
            refuse(new Problem(
                    Code.UNAVAILABLE,
                    "this server is stopping; repeat the request, which another instance answers if there is one"));
        } else {
            refuse(contended());
        }
    }

    private void giveUpLocked() {
        leases.later(0, this::giveUp);
    }

    private Problem contended() {
        return new Problem(
                Code.CONTENDED,
                "'" + claim.describe() + "' is held by somebody else"
                        + (ask.maxWait().isZero() ? "" : ", and was for as long as was to be waited"));
    }

    /** {@return whether this call has ended it} */
    private boolean finish() {
        synchronized (this) {
            if (state == State.ENDED) {
                return false;
            }
            state = State.ENDED;
            cancelPoll();
            if (end != null) {
                end.cancel(false);
            }
        }
        leases.ended(this);
        return true;
    }
}
