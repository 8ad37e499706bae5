package dev.holdfast.cli.run;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LossReason;

/** Why leases are lost. */
final class Losses {
    private Losses() {}

    /** Why a lease is not held any more. The lease knows that before it has told those who listen. */
    static LossReason of(Lease lease) {
        try {
            lease.ensureHeld();
            return LossReason.EXPIRED;
        } catch (LeaseLostException lost) {
            return lost.reason();
        } catch (IllegalStateException given) {
            // It was given back, and the store no longer had it.
            return LossReason.EXPIRED;
        }
    }
}
