package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;

/** Makes grants from what the database said. */
final class Grants {
    private Grants() {}

    /**
     * Makes a grant.
     *
     * @param leftMicros what is left by the database's clock; more than the lease only after that clock was set back
     */
    static Grant of(Claim claim, String name, long epoch, long leftMicros, boolean wanted) {
        Duration left = Lines.micros(leftMicros);
        Duration validFor = left.compareTo(claim.lease()) > 0 ? claim.lease() : left;
        return new Grant(name, claim.owner(), epoch, claim.lease(), validFor, null, wanted);
    }
}
