package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock behaves. Immutable; every {@code with…} method returns a changed copy.
 *
 * @param leaseTime how long the store keeps the lock without a renewal; it is renewed at a third of it while held
 * @param maxHold the longest time one lease may be held, or null for no limit
 * @param stickyFor how long a released exclusive lock stays with this client while nobody else wants it; zero for not
 *     at all
 * @param handOffLimit how often a lock may be handed from thread to thread of this client while another client waits
 * @param handOffTime for how long, counted from the store's grant, it may be handed on while another client waits
 * @param interruptOnLoss whether the thread that acquired a lease is interrupted when the lease is lost
 * @param label a note for people who look at the lock, such as a job's name; may be empty
 */
public record LockOptions(
        Duration leaseTime,
        @Nullable Duration maxHold,
        Duration stickyFor,
        int handOffLimit,
        Duration handOffTime,
        boolean interruptOnLoss,
        String label) {

    /** The shortest lease time that can be asked for. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

    /** The longest lease time, sticky time, hand-off time and maximum hold that can be asked for. */
    public static final Duration LONGEST = Duration.ofDays(3650);

    /** The most hand-offs under one grant of the store; a token has room for 4,096 holders of it. */
    public static final int MOST_HAND_OFFS = 4095;

    /** The longest label, in characters. */
    public static final int LONGEST_LABEL = 200;

    private static final LockOptions DEFAULTS = new LockOptions(
            Duration.ofSeconds(30), null, Duration.ZERO, MOST_HAND_OFFS, Duration.ofMillis(10), false, "");

    /** Checks every value; throws {@link IllegalArgumentException} that names the wrong one. */
    public LockOptions {
        within("leaseTime", leaseTime, SHORTEST_LEASE);
        if (maxHold != null) {
            within("maxHold", maxHold, Duration.ofMillis(1));
        }
        within("stickyFor", stickyFor, Duration.ZERO);
        within("handOffTime", handOffTime, Duration.ZERO);
        if (handOffLimit < 0 || handOffLimit > MOST_HAND_OFFS) {
            throw new IllegalArgumentException(
                    "handOffLimit must be from 0 to " + MOST_HAND_OFFS + ", but was " + handOffLimit);
        }
        Objects.requireNonNull(label, "label");
        if (label.length() > LONGEST_LABEL || label.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "label must have at most " + LONGEST_LABEL + " characters and no control characters");
        }
    }

    /** {@return the options used where nothing else is said: a lease of 30 seconds, no limit, not sticky} */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Changes the lease time.
     *
     * @param time at least {@link #SHORTEST_LEASE}
     * @return the changed copy
     */
    public LockOptions withLeaseTime(Duration time) {
        return new LockOptions(time, maxHold, stickyFor, handOffLimit, handOffTime, interruptOnLoss, label);
    }

    /**
     * Limits how long one lease may be held; then it is lost with {@link LossReason#MAX_HOLD}.
     *
     * @param limit a positive time
     * @return the changed copy
     */
    public LockOptions withMaxHold(Duration limit) {
        return new LockOptions(
                leaseTime,
                Objects.requireNonNull(limit, "limit"),
                stickyFor,
                handOffLimit,
                handOffTime,
                interruptOnLoss,
                label);
    }

    /**
     * Lets a released lock stay with this client, so that its next use costs no round trip.
     *
     * @param time zero switches it off
     * @return the changed copy
     */
    public LockOptions withStickyFor(Duration time) {
        return new LockOptions(leaseTime, maxHold, time, handOffLimit, handOffTime, interruptOnLoss, label);
    }

    /**
     * Bounds the hand-off among threads of this client while another client waits.
     *
     * @param limit how many; zero switches hand-off off while another client waits
     * @param time for how long since the store's grant
     * @return the changed copy
     */
    public LockOptions withHandOff(int limit, Duration time) {
        return new LockOptions(leaseTime, maxHold, stickyFor, limit, time, interruptOnLoss, label);
    }

    /**
     * Chooses whether the thread that acquired a lease is interrupted when the lease is lost. Never happens once
     * {@link Lease#close()} has begun.
     *
     * @param interrupt whether to interrupt
     * @return the changed copy
     */
    public LockOptions withInterruptOnLoss(boolean interrupt) {
        return new LockOptions(leaseTime, maxHold, stickyFor, handOffLimit, handOffTime, interrupt, label);
    }

    /**
     * Adds a note for people who look at the lock.
     *
     * @param text at most {@link #LONGEST_LABEL} characters
     * @return the changed copy
     */
    public LockOptions withLabel(String text) {
        return new LockOptions(leaseTime, maxHold, stickyFor, handOffLimit, handOffTime, interruptOnLoss, text);
    }

    /** {@return the longest time one lease may be held, where limited} */
    public Optional<Duration> holdLimit() {
        return Optional.ofNullable(maxHold);
    }

    private static void within(String what, Duration value, Duration least) {
        Objects.requireNonNull(value, what);
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    what + " must be from " + least + " to " + LONGEST + ", but was " + value);
        }
    }
}
