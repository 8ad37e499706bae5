package dev.holdfast.test;

import dev.holdfast.Lease;
import dev.holdfast.fence.StaleTokenException;
import java.util.ArrayList;
import java.util.List;

/**
 * A value behind a fence, as a database row with a token column would be. It accepts only tokens that are at least as large
 * as the largest it has seen, and remembers all. Thread-safe.
 *
 * @param <V> the kind of value
 */
public final class FencedValue<V> {
    private final String lockName;

    /** Guarded by this object's monitor, as are all below. */
    private final List<Long> accepted = new ArrayList<>();

    private final List<Long> refused = new ArrayList<>();
    private V value;
    private long largestSeen;

    FencedValue(String lockName, V initial) {
        this.lockName = lockName;
        this.value = initial;
    }

    /**
     * Writes with the token of a lease.
     *
     * @param lease a lease of the lock
     * @param next the new value
     * @throws StaleTokenException if a larger token was seen; nothing was changed
     */
    public void write(Lease lease, V next) {
        write(lease.token(lockName), next);
    }

    /**
     * Writes with a token.
     *
     * @param token the fencing token
     * @param next the new value
     * @throws StaleTokenException if a larger token was seen; nothing was changed
     */
    public synchronized void write(long token, V next) {
        if (token < largestSeen) {
            refused.add(token);
            throw new StaleTokenException(lockName, token, largestSeen);
        }
        largestSeen = token;
        accepted.add(token);
        value = next;
    }

    /** {@return the value} */
    public synchronized V value() {
        return value;
    }

    /** {@return the tokens of accepted writes, in order} */
    public synchronized List<Long> accepted() {
        return List.copyOf(accepted);
    }

    /** {@return the tokens of refused writes, in order} */
    public synchronized List<Long> refused() {
        return List.copyOf(refused);
    }

    /**
     * Checks that a write with the token of this lease was refused, and none was accepted since a larger token was seen.
     *
     * @param lease the lease
     * @throws AssertionError if no write of it was refused
     */
    public void assertRefused(Lease lease) {
        long token = lease.token(lockName);
        if (!refused().contains(token)) {
            throw new AssertionError("expected a write with token " + token + " to be refused; accepted were "
                    + accepted() + ", refused " + refused());
        }
    }

    /**
     * Checks that no write was refused.
     *
     * @throws AssertionError if one was
     */
    public void assertNothingRefused() {
        if (!refused().isEmpty()) {
            throw new AssertionError("expected no write to be refused, but these were: " + refused());
        }
    }
}
