package dev.holdfast.spring;

import dev.holdfast.HoldfastException;
import java.time.Duration;

/** A {@link Locked} method did not run because somebody else held its lock for all of the wait. */
public final class LockContendedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** The lock that was asked for. */
    private final String lockName;

    /**
     * Makes the exception.
     *
     * @param lockName the lock, or the names of several
     * @param waited how long was waited for it
     * @param method the method that did not run
     */
    public LockContendedException(String lockName, Duration waited, String method) {
        super("somebody else holds lock '" + lockName + "' and did not release it within " + waited.toMillis()
                + " ms, so " + method + " did not run; call again later, or wait longer with 'waitFor'");
        this.lockName = lockName;
    }

    /** {@return the lock, or the names of several} */
    public String lockName() {
        return lockName;
    }
}
