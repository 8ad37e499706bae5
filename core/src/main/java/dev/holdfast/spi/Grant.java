package dev.holdfast.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The store's word that an owner holds one name.
 *
 * @param name the name
 * @param owner who holds it
 * @param epoch larger than that of every earlier grant of the name, below {@link #EPOCH_LIMIT}
 * @param lease what a renewal asks for
 * @param validFor how much of it is left by the store's clock at the moment of the answer; null where the grant lives as
 *     long as the session and needs no renewal
 * @param session the session it is bound to, where the store has sessions
 * @param wanted whether somebody else waits for the name; true from a store that cannot tell
 */
public record Grant(
        String name,
        OwnerId owner,
        long epoch,
        Duration lease,
        @Nullable Duration validFor,
        @Nullable String session,
        boolean wanted) {

    /** Epochs are below this, so that a token (epoch and hand-off count) fits a {@code long}. */
    public static final long EPOCH_LIMIT = 1L << 51;

    /** How many leases can be drawn from one grant, each with a larger token than the one before. */
    public static final int LEASES_PER_GRANT = 1 << 12;

    /** Refuses an epoch whose tokens would overflow, because a fence would then let a stale holder through. */
    public Grant {
        if (epoch < 0 || epoch >= EPOCH_LIMIT) {
            throw new IllegalArgumentException(
                    "the epoch of '" + name + "' must be from 0 to 2^51 - 1, but was " + epoch);
        }
    }

    /**
     * Finds the grant that a lease was drawn from.
     *
     * @param token the fencing token of a lease
     * @return the epoch of the store's grant
     */
    public static long epochOf(long token) {
        return token / LEASES_PER_GRANT;
    }

    /**
     * Makes the fencing token of a lease.
     *
     * @param epoch the epoch of the store's grant
     * @param sequence which lease of the grant it is, from 0
     * @return the token
     */
    public static long token(long epoch, int sequence) {
        return epoch * LEASES_PER_GRANT + sequence;
    }
}
