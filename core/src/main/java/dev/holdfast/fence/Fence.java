package dev.holdfast.fence;

import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Guards a resource with the fencing tokens of one lock: it accepts only tokens that are at least as large as the
 * largest it has seen. A holder's token is raised before its first read, so that from then on no earlier holder can
 * change what was read. Thread-safe as its resource is.
 *
 * @param <V> the kind of value
 */
public final class Fence<V> {
    private static final int MOST_ATTEMPTS = 1_000;

    private final String lockName;
    private final StampedResource<V> resource;

    private Fence(String lockName, StampedResource<V> resource) {
        this.lockName = lockName;
        this.resource = resource;
    }

    /**
     * Puts a guard around a resource. Everybody who writes to the resource must go through such a guard.
     *
     * @param lockName the lock whose tokens count
     * @param resource the resource
     * @param <V> the kind of value
     * @return the guard
     */
    public static <V> Fence<V> around(String lockName, StampedResource<V> resource) {
        return new Fence<>(Objects.requireNonNull(lockName, "lockName"), Objects.requireNonNull(resource, "resource"));
    }

    /**
     * Raises the token, then reads.
     *
     * @param lease an exclusive lease of the lock
     * @return the value
     * @throws StaleTokenException if the resource has seen a larger token
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     */
    public V read(Lease lease) {
        Stamped<V> current = resource.read();
        return current.token() == tokenOf(lease) ? current.value() : update(lease, UnaryOperator.identity());
    }

    /**
     * Replaces the value.
     *
     * @param lease an exclusive lease of the lock
     * @param value the new value
     * @throws StaleTokenException if the resource has seen a larger token; nothing was changed
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     */
    public void write(Lease lease, V value) {
        update(lease, current -> value);
    }

    /**
     * Computes a new value from the old one.
     *
     * @param lease an exclusive lease of the lock
     * @param change computes the new value; may run more than once
     * @return the new value
     * @throws StaleTokenException if the resource has seen a larger token; nothing was changed
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     * @throws HoldfastException if the resource changed under our hands a thousand times in a row
     */
    public V update(Lease lease, UnaryOperator<V> change) {
        long token = tokenOf(lease);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            Stamped<V> current = resource.read();
            if (current.token() > token) {
                throw new StaleTokenException(lockName, token, current.token());
            }
            Stamped<V> next = new Stamped<>(change.apply(current.value()), token);
            if (resource.compareAndSet(current, next)) {
                return next.value();
            }
        }
        throw new HoldfastException("the resource behind lock '" + lockName
                + "' was changed by others again and again; does every writer hold the lock?");
    }

    private long tokenOf(Lease lease) {
        if (!lease.isExclusive()) {
            throw new IllegalArgumentException(
                    "a fence takes exclusive leases only: the tokens of shared ones are not in order of their writes");
        }
        return lease.token(lockName);
    }
}
