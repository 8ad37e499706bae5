package dev.holdfast;

/**
 * Work that is done under a lock.
 *
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface LeaseAction<X extends Exception> {
    /**
     * Does the work.
     *
     * @param lease the lease it runs under; released afterwards by the caller
     * @throws X whatever the work throws
     */
    void run(Lease lease) throws X;
}
