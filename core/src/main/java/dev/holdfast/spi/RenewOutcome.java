package dev.holdfast.spi;

import dev.holdfast.LossReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the store answered a renewal. */
public sealed interface RenewOutcome {

    /**
     * The grant is extended.
     *
     * @param validFor how much is left by the store's clock at the moment of the answer; null where the grant lives
     *     as long as the session
     * @param wanted whether somebody else waits for the name
     */
    record Renewed(@Nullable Duration validFor, boolean wanted) implements RenewOutcome {}

    /**
     * The grant does not exist any more. It is never created again by a renewal.
     *
     * @param reason why, as far as the store knows
     */
    record Lost(LossReason reason) implements RenewOutcome {}

    /**
     * The store did not answer.
     *
     * @param cause what happened
     */
    record Unknown(RuntimeException cause) implements RenewOutcome {}
}
