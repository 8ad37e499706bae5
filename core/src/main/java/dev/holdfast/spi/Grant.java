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
}
