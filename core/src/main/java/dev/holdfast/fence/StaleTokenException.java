package dev.holdfast.fence;

import dev.holdfast.HoldfastException;

/** A guarded resource refused a fencing token, because it has seen a larger one. Nothing was changed. */
public final class StaleTokenException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** The token that was refused. */
    private final long token;

    /** The largest token that the resource has seen. */
    private final long largestSeen;

    /**
     * Makes the exception.
     *
     * @param lockName the lock
     * @param token the token that was refused
     * @param largestSeen the largest that the resource has seen
     */
    public StaleTokenException(String lockName, long token, long largestSeen) {
        super("token " + token + " of lock '" + lockName + "' was refused: the resource has seen " + largestSeen
                + ", so somebody else was granted the lock since; nothing was changed");
        this.token = token;
        this.largestSeen = largestSeen;
    }

    /** {@return the token that was refused} */
    public long token() {
        return token;
    }

    /** {@return the largest token that the resource has seen} */
    public long largestSeen() {
        return largestSeen;
    }
}
