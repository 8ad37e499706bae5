package dev.holdfast;

/**
 * The calling thread already holds the name through {@link DistributedLock#asLock()} and would have waited for itself
 * for ever. Nested use goes through {@code asLock()} all the way, or passes the outer lease along.
 */
public final class SelfDeadlockException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which lock, and what to do
     */
    public SelfDeadlockException(String message) {
        super(message);
    }
}
