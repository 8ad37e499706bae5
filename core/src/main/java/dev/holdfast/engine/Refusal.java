package dev.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * Why a wait ends without a lease: somebody else has the lock, or something went wrong.
 *
 * @param fault what went wrong; null if somebody else has the lock
 */
record Refusal(@Nullable RuntimeException fault) {
    /** Somebody else has the lock. */
    static final Refusal TAKEN = new Refusal(null);

    boolean isTaken() {
        return fault == null;
    }
}
