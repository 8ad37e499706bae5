package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the store knows of one name at one moment.
 *
 * @param name the lock
 * @param kind what the name is used as
 * @param capacity how many units there are; 1 for an exclusive lock
 * @param holders who holds it, oldest first
 * @param waiters who waits in the store's line, in order; threads that wait in their client's own line do not show
 * @param lastEviction the last forced release, as long as the store remembers it
 */
public record LockView(
        String name,
        LockKind kind,
        int capacity,
        List<Holder> holders,
        List<Waiter> waiters,
        Optional<Eviction> lastEviction) {

    /** Copies the lists. */
    public LockView {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /**
     * One holder.
     *
     * @param clientName the client that holds
     * @param label the note from its options
     * @param units how many units it holds
     * @param token the token of the store's grant; hand-offs inside the client use up to 4,095 larger ones
     * @param heldFor how long ago the store granted it, by the store's clock
     * @param remaining how long until it expires without a renewal; empty where it lives as long as a session
     */
    public record Holder(
            String clientName, String label, int units, long token, Duration heldFor, Optional<Duration> remaining) {}

    /**
     * One waiter.
     *
     * @param clientName the client that waits
     * @param label the note from its options
     * @param units how many units it asks for
     * @param waitingFor for how long, by the store's clock
     */
    public record Waiter(String clientName, String label, int units, Duration waitingFor) {}

    /**
     * A forced release.
     *
     * @param by the client that asked for it
     * @param reason why, in its words
     * @param ago how long ago, by the store's clock
     */
    public record Eviction(String by, String reason, Duration ago) {}
}
