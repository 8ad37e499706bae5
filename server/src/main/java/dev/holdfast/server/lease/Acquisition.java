package dev.holdfast.server.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One request for a lease, until it has its answer.
 *
 * <p>It has a thread only while it asks ({@link Course}). What may be given back, and by whom, is the heart of it. A client
 * that chose its key may repeat the request at any time at any instance, and several instances may be busy with it at once.
 * So:
 *
 * <ul>
 *   <li>The <b>immediate</b> try of such a request has an owner that follows from the key. Whoever repeats it finds the
 *       grant. No instance ever gives it back on its own, because another one may just be handing it out: if nobody gets
 *       to know of it, it ends with its lease.
 *   <li>A <b>waiting</b> claim has an owner of its own, which no other instance uses, so it can be withdrawn when its
 *       client goes. Its lease is short at first ({@link Claims#inLine}). Before the grant is handed out it is renewed
 *       for the whole lease: that is the point of no return. From then on it is never withdrawn, and only from then on is
 *       it found by a repeated request ({@link Repetitions}), who see by its times that it was renewed.
 *   <li>If the <b>server</b> chose the key, nobody can repeat the request: its one owner is random, and every grant that
 *       does not reach the client is given back.
 * </ul>
 *
 * <p>Whoever has brought its course to ASKING, and nobody else, touches its fields until it waits again or has ended.
 */
final class Acquisition {
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final int MOST_DOUBLINGS = 7;
    private static final int MOST_RESTARTS = 4;
    private static final int LOOKS_FOR_REPETITION_EVERY = 2;

    private final LeaseRequests requests;
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

    private volatile boolean rightsChanged;
    private final Course course = new Course();
    private int polls;
    private int failures;
    private int restarts;
    private @Nullable RuntimeException lastFailure;

    Acquisition(LeaseRequests requests, Ask ask, Asker asker, long arrivedNanos) {
        this.requests = requests;
        this.ask = ask;
        this.asker = asker;
        this.scope = ask.scope();
        this.deadlineNanos = arrivedNanos + ask.maxWait().toNanos();
        this.own = !ask.keyGiven();
        this.claim =
                own ? requests.claims().ofOneRequest(ask) : requests.claims().ofKey(ask, scope);
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
        if (!own && ask.isShared() && findsRepetition(false)) {
            return;
        }
        if (own) {
            requests.register(claim.owner(), this);
        }
        tryNow();
        if (!ask.maxWait().isZero()) {
            course.endWith(Math.max(0, deadlineNanos - requests.now()), nanos -> requests.later(nanos, this::end));
        }
    }

    private void tryNow() {
        long sent = requests.now();
        AcquireOutcome outcome;
        try {
            outcome = requests.store().tryAcquire(claim);
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
                boolean repeated = !own && requests.handout().wasToldBefore(granted.grants(), left, ask.lease());
                hand(granted.grants(), Validity.ofGrants(sent, granted.grants(), ask.lease()), repeated);
            } else {
                confirm(granted.grants(), firstTry && !own);
            }
        } else if (outcome instanceof AcquireOutcome.Contended contended) {
            lastFailure = null;
            failures = 0;
            contended(contended.retryHint());
        } else if (outcome instanceof AcquireOutcome.Mismatch mismatch) {
            refuse(new Problem(Problem.Code.MISMATCH, mismatch.detail()));
        } else if (outcome instanceof AcquireOutcome.Unknown unknown) {
            failed(unknown.cause());
        }
    }

    private boolean isTagged() {
        return own && ask.keyGiven();
    }

    private void contended(Duration hint) {
        if (!own) {
            contendedKey();
            return;
        }
        if (ask.maxWait().isZero()) {
            refuse(Refusals.contended(claim, ask));
            return;
        }
        if (isTagged() && ++polls % LOOKS_FOR_REPETITION_EVERY == 0 && findsRepetition(true)) {
            return;
        }
        await(LeaseRequests.pollDelay(hint.toNanos()));
    }

    /** Somebody has the lock; it may be this very key, by a request that waited, or at another instance. */
    private void contendedKey() {
        if (asker.isGone()) {
            refuse(Refusals.contended(claim, ask));
            return;
        }
        if (findsRepetition(false)) {
            return;
        }
        if (requests.handout().isElsewhere(ask, scope, requests::isAskingAs)) {
            refuse(Refusals.elsewhere());
        } else if (ask.maxWait().isZero() || requests.now() >= deadlineNanos) {
            refuse(Refusals.contended(claim, ask));
        } else {
            queue();
        }
    }

    /** The key's own claim is refused: a claim of this request alone stands in line from now on. */
    private void queue() {
        own = true;
        claim = requests.claims().inLine(ask, scope);
        requests.register(claim.owner(), this);
        tryNow();
    }

    private void await(long nanos) {
        boolean over = asker.isGone() || requests.isStopping();
        if (over || !course.await(nanos, delay -> requests.later(delay, this::due))) {
            giveUp();
        }
    }

    /** It may be worth asking; the store says so, or the time has come. */
    void due() {
        if (!course.ask()) {
            return;
        }
        if (own) {
            requests.poll(this);
        } else {
            requests.ask(this, this::tryNow);
        }
    }

    /** The store has granted the claim in the meantime. */
    void granted(List<Grant> grants) {
        if (course.ask()) {
            requests.ask(this, () -> confirm(grants, false));
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
                    failure instanceof HoldfastException refusal
                            ? Refusals.misconfigured(refusal)
                            : requests.defect(failure));
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
        if (asker.isGone() && own && !committed) {
            giveUp();
            return;
        }
        committed = true;
        List<Grant> whole = Renewal.lasting(grants, ask.lease());
        Renewal renewal;
        try {
            renewal = Renewal.of(requests.link(), whole, ask.lease());
        } catch (RuntimeException failure) {
            failed(failure);
            return;
        }
        if (renewal instanceof Renewal.Unknown unknown) {
            failed(unknown.cause());
        } else if (renewal instanceof Renewal.Lost) {
            restart(whole);
        } else {
            hand(whole, ((Renewal.Renewed) renewal).untilNanos(), repeated);
        }
    }

    /** The grant ended before it was handed out. */
    private void restart(List<Grant> lost) {
        requests.leftovers().release(lost);
        committed = false;
        if (++restarts > MOST_RESTARTS) {
            refuse(Refusals.endedTooSoon());
            return;
        }
        await(FIRST_BACKOFF_NANOS);
    }

    private boolean findsRepetition(boolean again) {
        Optional<HeldLease> earlier;
        try {
            earlier = requests.handout().findRepetition(ask, scope, again);
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
            requests.leftovers().withdraw(mine, unanswered);
        }
        asker.granted(earlier.get(), written -> {});
        return true;
    }

    private void hand(List<Grant> grants, long validUntilNanos, boolean repeated) {
        if (validUntilNanos <= requests.now()) {
            if (++restarts > MOST_RESTARTS) {
                failed(StoreUnavailableException.because(
                        "acquire", claim.describe(), "its answers take longer than the lease; ask for a longer one"));
            } else {
                confirm(grants, repeated);
            }
            return;
        }
        HeldLease lease = requests.handout().lease(ask, scope, grants, validUntilNanos, repeated);
        if (lease == null) {
            restart(grants);
            return;
        }
        Claim granted = claim;
        boolean returnable = !ask.keyGiven();
        if (!finish()) {
            return;
        }
        boolean onItsWay = asker.granted(lease, written -> {
            if (!written && returnable) {
                requests.handout().takeBack(granted);
            }
        });
        if (!onItsWay && returnable) {
            requests.handout().takeBack(granted);
        }
    }

    private void refuse(Problem problem) {
        Claim asked = claim;
        boolean withdraw = own && !(committed && isTagged());
        if (finish()) {
            if (withdraw && (claim.queue() || unanswered)) {
                requests.leftovers().withdraw(asked, unanswered);
            }
            asker.refused(problem);
        }
    }

    /** Its time is over, the client has gone, or the server stops: what waits ends now, the rest with its answer. */
    void end() {
        if (course.stop()) {
            giveUp();
        }
    }

    /** Who asks may not be allowed to any more, and has to ask again. */
    void refuseWaiting() {
        rightsChanged = true;
        end();
    }

    private void giveUp() {
        RuntimeException failure = lastFailure;
        if (rightsChanged) {
            refuse(Refusals.rightsChanged());
        } else if (failure != null) {
            refuse(Refusals.unanswered(failure, ask));
        } else if (requests.isStopping()) {
            refuse(Refusals.stoppedWhileWaiting());
        } else {
            refuse(Refusals.contended(claim, ask));
        }
    }

    /** {@return whether this call has ended it} */
    private boolean finish() {
        boolean ended = course.finish();
        if (ended) {
            requests.ended(this);
        }
        return ended;
    }
}
