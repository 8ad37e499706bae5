package dev.holdfast;

import java.time.Duration;

/**
 * Numbers of one client as they are now. They are counted where things happen, not from events, so they stay right when
 * events are dropped. Only clients with a listener keep them. Thread-safe.
 */
public interface ClientStatistics {

    /** What a store can be asked for. */
    enum Operation {
        /** The first request for a lock. */
        ACQUIRE,
        /** Asking again for locks that are waited for. */
        POLL,
        /** Ending a request that nobody waits for any more. */
        WITHDRAW,
        /** Extending leases. */
        RENEW,
        /** Giving leases back. */
        RELEASE,
        /** Looking at one lock. */
        INSPECT,
        /** Looking at many locks. */
        LIST,
        /** Taking a lock away from its holders. */
        EVICT,
        /** Asking whether the store answers. */
        PING
    }

    /**
     * Calls to the store since the client was made.
     *
     * @param count how many have ended
     * @param time how long they took together
     */
    record Calls(long count, Duration time) {}

    /** {@return the client's name} */
    String clientName();

    /** {@return how many leases are out} */
    long held();

    /** {@return how many attempts have begun and not ended} */
    long waiting();

    /** {@return how often a lock went from one thread of this client to another without the store} */
    long localHandOffs();

    /** {@return how often the store gave this client a lock for which it had to wait} */
    long remoteHandOffs();

    /** {@return how many events the listener was not told because it was too slow} */
    long droppedEvents();

    /**
     * Tells how late the latest renewal is. It grows while the store does not answer; when it reaches about two thirds of
     * the lease time, leases are lost.
     *
     * @return the longest time since which the renewal of a held lock is due; zero if none is due
     */
    Duration renewalLag();

    /**
     * Counts calls that were answered. One call may be for many locks.
     *
     * @param operation what was asked
     * @return the number and time of calls
     */
    Calls answered(Operation operation);

    /**
     * Counts calls whose answer, or a part of it, is not known.
     *
     * @param operation what was asked
     * @return the number and time of calls
     */
    Calls unanswered(Operation operation);

    /** {@return whether the client is closed} */
    boolean isClosed();
}
