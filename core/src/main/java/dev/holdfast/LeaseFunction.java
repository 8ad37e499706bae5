package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Work with a result that is done under a lock.
 *
 * @param <T> its result; {@code @Nullable} if it may be null
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface LeaseFunction<T extends @Nullable Object, X extends Exception> {
    /**
     * Does the work.
     *
     * @param lease the lease it runs under; released afterwards by the caller
     * @return the result
     * @throws X whatever the work throws
     */
    T call(Lease lease) throws X;
}
