package dev.holdfast;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a store promises. The contract suite tests each promise that is made and reports those that are not.
 *
 * @param expiry what ends a grant whose holder is gone
 * @param promises what it can do
 * @param shortestLease the shortest lease it grants
 * @param longestLease the longest lease it grants
 * @param failover in one sentence, what holds when a server fails over or restarts
 */
public record StoreTraits(
        Expiry expiry, Set<Promise> promises, Duration shortestLease, Duration longestLease, String failover) {

    /** Copies the set. */
    public StoreTraits {
        promises = Set.copyOf(promises);
    }

    /** What ends a grant whose holder is gone. */
    public enum Expiry {
        /** A time by the store's clock. */
        LEASE,
        /** The end of a session that the store watches. */
        SESSION
    }

    /** What a store can do. */
    public enum Promise {
        /** Waiting claims are granted in order of arrival. */
        FAIR("waiting clients are served in order of arrival"),
        /** It tells of grants without being asked. */
        PUSHES("a waiter is told of its grant without asking"),
        /** It knows whether somebody waits; otherwise every grant counts as wanted. */
        SEES_WAITERS("waiters are visible to holders and to inspect"),
        /** It carries read/write locks: claims for one unit of many beside each other, or for all. */
        READ_WRITE("read/write locks"),
        /** It carries semaphores: claims for some units of a capacity. */
        SEMAPHORE("semaphores"),
        /** It carries claims over several names. */
        SEVERAL_NAMES("several names at once"),
        /** Several names are granted in one atomic step. */
        ATOMIC_NAMES("several names in one atomic step"),
        /** It works between processes. */
        BETWEEN_PROCESSES("locks between processes"),
        /** A holder is told of its loss before somebody else is granted the lock, also when it was paused. */
        LOSS_BEFORE_REGRANT("loss is told before the lock is granted again"),
        /** A holder that is paused for longer than its lease loses the lock; otherwise it keeps it while it lives. */
        PAUSED_HOLDER_IS_REPLACED("a holder that is paused past its lease is replaced"),
        /** Locks survive a restart of the server. */
        SURVIVES_RESTART("locks survive a restart of the server"),
        /** A dead process's locks are granted again at once, without waiting for the lease. */
        DEATH_SEEN_AT_ONCE("a dead process's locks are free at once");

        private final String explanation;

        Promise(String explanation) {
            this.explanation = explanation;
        }

        /** {@return a few words for a report} */
        public String explanation() {
            return explanation;
        }
    }

    /**
     * Tells whether a promise is made.
     *
     * @param promise the promise
     * @return true if it is
     */
    public boolean promises(Promise promise) {
        return promises.contains(promise);
    }

    /** {@return the promises that are not made} */
    public Set<Promise> missing() {
        Set<Promise> missing = EnumSet.allOf(Promise.class);
        missing.removeAll(promises);
        return missing;
    }
}
