package dev.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that happened in a client. Only Holdfast makes events. Later releases may add kinds: the interface is not
 * sealed, so that a pattern {@code switch} over events needs a {@code default} branch and goes on to compile and run. Ignore
 * kinds that you do not know.
 */
public interface HoldfastEvent {

    /** {@return the lock it concerns; for several names, joined by a comma} */
    String lockName();

    /**
     * A lease was granted.
     *
     * @param lockName the lock
     * @param token the fencing token (of the first name where there are several)
     * @param waited the time from the call to the grant
     * @param source where the grant came from
     */
    record Acquired(String lockName, long token, Duration waited, Source source) implements HoldfastEvent {
        /** Where a grant came from. */
        public enum Source {
            /** A grant of the store. */
            STORE,
            /** Handed over by another thread of this client. */
            HAND_OFF,
            /** Kept from an earlier use by this client: the lock is sticky, or the client is still within its turn. */
            STICKY
        }
    }

    /**
     * An attempt ended without a lease because somebody else holds the lock.
     *
     * @param lockName the lock
     * @param waited the time from the call to its end
     */
    record NotAcquired(String lockName, Duration waited) implements HoldfastEvent {}

    /**
     * An attempt ended with an exception: the store did not answer in time, is set up wrongly, or the client was closed.
     *
     * @param lockName the lock
     * @param waited the time from the call to its end
     * @param cause what the caller was told
     */
    record Failed(String lockName, Duration waited, Throwable cause) implements HoldfastEvent {}

    /**
     * A waiter left before the outcome was known: its thread was interrupted, or its future was completed from outside.
     *
     * @param lockName the lock
     * @param waited the time from the call to its end
     */
    record Abandoned(String lockName, Duration waited) implements HoldfastEvent {}

    /**
     * The store extended a lease.
     *
     * @param lockName the lock
     * @param token the fencing token of the last lease that was taken
     * @param lag the time from the moment at which the renewal was due to the store's answer
     */
    record Renewed(String lockName, long token, Duration lag) implements HoldfastEvent {}

    /**
     * A holder gave its lease up.
     *
     * @param lockName the lock
     * @param token the fencing token
     * @param held how long it was held
     */
    record Released(String lockName, long token, Duration held) implements HoldfastEvent {}

    /**
     * A lease ended before its holder gave it up.
     *
     * @param lockName the lock
     * @param token the fencing token
     * @param reason why
     */
    record Lost(String lockName, long token, LossReason reason) implements HoldfastEvent {}

    /**
     * The store did not answer; it is tried again.
     *
     * @param lockName the lock, or a short description where it concerned several
     * @param operation what was asked
     * @param cause what the store reported
     */
    record StoreFailed(String lockName, String operation, Throwable cause) implements HoldfastEvent {}

    /**
     * A lease handle became unreachable without having been released; the lock was given back.
     *
     * @param lockName the lock
     * @param token the fencing token
     * @param takenAt the stack that took the lease; empty where leases are taken so often that not every stack is kept
     */
    record Leaked(String lockName, long token, Optional<Throwable> takenAt) implements HoldfastEvent {}

    /**
     * This client evicted the holders of a lock.
     *
     * @param lockName the lock
     * @param reason why
     * @param holders how many holders were evicted
     */
    record Evicted(String lockName, String reason, int holders) implements HoldfastEvent {}

    /**
     * A callback of the user's threw an exception.
     *
     * @param lockName the lock
     * @param cause what it threw
     */
    record CallbackFailed(String lockName, Throwable cause) implements HoldfastEvent {}
}
