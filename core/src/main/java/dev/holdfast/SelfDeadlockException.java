package dev.holdfast;

/**
 * The calling thread would have waited for itself for ever: it holds the name through {@link DistributedLock#asLock()}
 * (nested use goes through {@code asLock()} all the way, or passes the outer lease along), or it runs a callback of the
 * {@link Election} whose next term it waits for.
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
