package dev.holdfast;

/** The lease ended before its holder gave it up: work done under it may not have been protected. */
public final class LeaseLostException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** The lock that was lost. */
    private final String lockName;

    /** Why it was lost. */
    private final LossReason reason;

    /**
     * Makes the exception for one lost lease.
     *
     * @param lockName the lock's name, or the names of a lease over several
     * @param reason why the lease ended
     */
    public LeaseLostException(String lockName, LossReason reason) {
        super("lock '" + lockName + "' was lost (" + reason + ": " + reason.explanation()
                + "); work done since then was not protected, except where its fencing token is checked");
        this.lockName = lockName;
        this.reason = reason;
    }

    /** {@return the lock's name, or the names of a lease over several} */
    public String lockName() {
        return lockName;
    }

    /** {@return why the lease ended} */
    public LossReason reason() {
        return reason;
    }
}
