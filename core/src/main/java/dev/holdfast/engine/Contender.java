package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One remote claim, from its first request to its settlement. Serves the head of its gate's line, whoever that is by
 * then; or, as a direct attempt, one waiter outside of the line. Guarded by its gate.
 */
final class Contender extends Timed {
    final Gate gate;
    final Terms terms;
    final Claim claim;

    /** The waiter of a direct attempt; null where it serves the line. */
    final @Nullable Waiter directFor;

    /** A request is under way. There is at most one at a time. */
    boolean calling;

    /** A hint came while a request was under way: ask once more after it. */
    boolean askAgain;

    /** Nobody wants its outcome any more. */
    boolean abandoned;

    /** What it was granted, once it was. */
    @Nullable
    Tenure tenure;

    /** Some request of it was never answered, and may still arrive. */
    boolean mayStillArrive;

    /** The last word, if that was a failure. */
    @Nullable
    RuntimeException failure;

    /** The store has said that somebody else has the lock. */
    private boolean answeredNo;

    int failures;

    /** An idle tenure of the same name that must be given back before this claim can succeed. */
    private @Nullable Tenure releaseFirst;

    private final boolean owesRelease;

    Contender(Gate gate, Terms terms, Claim claim, @Nullable Waiter directFor, @Nullable Tenure releaseFirst) {
        this.gate = gate;
        this.terms = terms;
        this.claim = claim;
        this.directFor = directFor;
        this.releaseFirst = releaseFirst;
        this.calling = true;
        this.owesRelease = releaseFirst != null;
        if (owesRelease) {
            gate.engine().settler().owe();
        }
    }

    /** Asks the store for the first time. */
    AcquireOutcome firstCall(LockStore store) {
        Tenure idle = releaseFirst;
        if (idle != null) {
            releaseFirst = null;
            gate.engine().settler().releaseNow(store, idle);
        }
        return store.tryAcquire(claim);
    }

    /** The first call was made, or is certain to be made before the client has closed. */
    void underWay() {
        if (owesRelease) {
            gate.engine().settler().paid();
        }
    }

    void heardNo() {
        answeredNo = true;
        failure = null;
        failures = 0;
    }

    /** Null if the store said that somebody else has the lock; otherwise nobody can tell. */
    @Nullable
    RuntimeException lastWord() {
        return failure != null || answeredNo ? failure : noAnswer(terms);
    }

    static RuntimeException noAnswer(Terms terms) {
        return new StoreUnavailableException(
                "acquire", terms.describe(), new TimeoutException("the wait ended before the store answered"));
    }

    /** Whether this claim is one that a waiter at the head of the line would make. */
    boolean serves(@Nullable Waiter waiter) {
        return waiter != null && waiter.terms.equals(terms) && waiter.triesOnce != claim.queue();
    }

    /** The tenure of a claim that was granted. */
    Tenure tenure() {
        return Objects.requireNonNull(tenure, "not granted");
    }

    @Override
    public void onDue() {
        gate.contest().askAgain(this);
    }
}
