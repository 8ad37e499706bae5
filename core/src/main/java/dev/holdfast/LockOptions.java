package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock behaves. Start from {@link #defaults()}; every {@code with…} method returns a changed copy. Immutable and
 * thread-safe. Later releases may add options without breaking callers.
 */
public final class LockOptions {

    /** The shortest lease time that can be asked for. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

    /** The longest lease time, sticky time, turn and maximum hold that can be asked for. */
    public static final Duration LONGEST = Duration.ofDays(3650);

    /** The longest label, in characters. */
    public static final int LONGEST_LABEL = 200;

    private static final LockOptions DEFAULTS =
            new LockOptions(Duration.ofSeconds(30), null, Duration.ZERO, null, false, "");

    private final Duration leaseTime;
    private final @Nullable Duration maxHold;
    private final Duration stickyFor;
    private final @Nullable Duration turn;
    private final boolean interruptOnLoss;
    private final String label;

    private LockOptions(
            Duration leaseTime,
            @Nullable Duration maxHold,
            Duration stickyFor,
            @Nullable Duration turn,
            boolean interruptOnLoss,
            String label) {
        this.leaseTime = leaseTime;
        this.maxHold = maxHold;
        this.stickyFor = stickyFor;
        this.turn = turn;
        this.interruptOnLoss = interruptOnLoss;
        this.label = label;
    }

    /** {@return the options used where nothing else is said: a lease of 30 seconds, no limit, not sticky} */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** {@return how long the store keeps the lock without a renewal; it is renewed at a third of it while held} */
    public Duration leaseTime() {
        return leaseTime;
    }

    /** {@return the longest time one lease may be held; empty for no limit} */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(maxHold);
    }

    /** {@return how long a released exclusive lock stays with this client while nobody else wants it; zero for not} */
    public Duration stickyFor() {
        return stickyFor;
    }

    /** {@return how long this client may keep using one grant while others wait; empty if the client decides} */
    public Optional<Duration> turn() {
        return Optional.ofNullable(turn);
    }

    /** {@return whether the thread that acquired a lease is interrupted when the lease is lost} */
    public boolean interruptOnLoss() {
        return interruptOnLoss;
    }

    /** {@return a note for people who look at the lock, such as a job's name; may be empty} */
    public String label() {
        return label;
    }

    /**
     * Changes the lease time.
     *
     * @param time at least {@link #SHORTEST_LEASE}
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of range
     */
    public LockOptions withLeaseTime(Duration time) {
        within("leaseTime", time, SHORTEST_LEASE);
        return new LockOptions(time, maxHold, stickyFor, turn, interruptOnLoss, label);
    }

    /**
     * Limits how long one lease may be held. After that it is lost with {@link LossReason#MAX_HOLD}.
     *
     * @param limit at least a millisecond
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of range
     */
    public LockOptions withMaxHold(Duration limit) {
        within("maxHold", limit, Duration.ofMillis(1));
        return new LockOptions(leaseTime, limit, stickyFor, turn, interruptOnLoss, label);
    }

    /** {@return a copy whose leases may be held without limit} */
    public LockOptions withoutMaxHold() {
        return new LockOptions(leaseTime, null, stickyFor, turn, interruptOnLoss, label);
    }

    /**
     * Lets a released lock stay with this client, so that its next use costs no round trip.
     *
     * @param time zero switches it off
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of range
     */
    public LockOptions withStickyFor(Duration time) {
        within("stickyFor", time, Duration.ZERO);
        return new LockOptions(leaseTime, maxHold, time, turn, interruptOnLoss, label);
    }

    /**
     * Bounds a turn: how long this client may keep using one grant of the store while other clients wait. It counts from
     * the grant. Without this option it is 8 times what a hand-over through the store costs, between 2 and 20 ms.
     *
     * @param time zero for one use per grant while others wait
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of range
     */
    public LockOptions withTurn(Duration time) {
        within("turn", time, Duration.ZERO);
        return new LockOptions(leaseTime, maxHold, stickyFor, time, interruptOnLoss, label);
    }

    /** {@return a copy with which the client chooses the length of turns, as it does by default} */
    public LockOptions withAutomaticTurn() {
        return new LockOptions(leaseTime, maxHold, stickyFor, null, interruptOnLoss, label);
    }

    /**
     * Chooses whether the thread that acquired a lease is interrupted when the lease is lost. It is not interrupted once
     * {@link Lease#close()} has begun.
     *
     * @param interrupt whether to interrupt
     * @return the changed copy
     */
    public LockOptions withInterruptOnLoss(boolean interrupt) {
        return new LockOptions(leaseTime, maxHold, stickyFor, turn, interrupt, label);
    }

    /**
     * Adds a note for people who look at the lock.
     *
     * @param text at most {@link #LONGEST_LABEL} characters, no control characters
     * @return the changed copy
     * @throws IllegalArgumentException if it is too long or has control characters
     */
    public LockOptions withLabel(String text) {
        Objects.requireNonNull(text, "label");
        if (text.length() > LONGEST_LABEL || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "label must have at most " + LONGEST_LABEL + " characters and no control characters");
        }
        return new LockOptions(leaseTime, maxHold, stickyFor, turn, interruptOnLoss, text);
    }

    private static void within(String what, Duration value, Duration least) {
        Objects.requireNonNull(value, what);
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    what + " must be from " + least + " to " + LONGEST + ", but was " + value);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof LockOptions that
                        && leaseTime.equals(that.leaseTime)
                        && Objects.equals(maxHold, that.maxHold)
                        && stickyFor.equals(that.stickyFor)
                        && Objects.equals(turn, that.turn)
                        && interruptOnLoss == that.interruptOnLoss
                        && label.equals(that.label));
    }

    @Override
    public int hashCode() {
        return Objects.hash(leaseTime, maxHold, stickyFor, turn, interruptOnLoss, label);
    }

    @Override
    public String toString() {
        return "LockOptions[leaseTime=" + leaseTime
                + ", maxHold=" + (maxHold == null ? "none" : maxHold)
                + ", stickyFor=" + stickyFor
                + ", turn=" + (turn == null ? "automatic" : turn)
                + ", interruptOnLoss=" + interruptOnLoss
                + ", label=" + label + "]";
    }
}
