package dev.holdfast.engine;

import dev.holdfast.LockMismatchException;
import dev.holdfast.StoreUnavailableException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Why a wait ends without a lease: somebody else has the lock, or something went wrong.
 *
 * @param fault what went wrong; null if somebody else has the lock
 */
record Refusal(@Nullable RuntimeException fault) {
    /** Somebody else has the lock. */
    static final Refusal TAKEN = new Refusal(null);

    /** It is not known who has the lock. */
    static Refusal unknown(Terms terms, @Nullable Throwable why) {
        return new Refusal(new StoreUnavailableException("acquire", terms.describe(), why));
    }

    /** No usable answer came in time. */
    static Refusal late(Terms terms, String what) {
        return unknown(terms, new TimeoutException(what));
    }

    static Refusal noAnswer(Terms terms) {
        return late(terms, "the wait ended before the store answered");
    }

    /** The same word may be told to many. Each gets an exception of its own, with its own stack. */
    static RuntimeException fresh(RuntimeException told) {
        if (told instanceof LockMismatchException mismatch) {
            return new LockMismatchException(String.valueOf(mismatch.getMessage()));
        }
        return told instanceof StoreUnavailableException unavailable ? unavailable.forAnotherCaller() : told;
    }

    boolean isTaken() {
        return fault == null;
    }
}
