package dev.holdfast.simulation;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import java.util.Objects;
import java.util.stream.Collectors;

/** Short descriptions for the event log. */
final class Words {
    private Words() {}

    static String of(OwnerId owner) {
        return owner.toString().substring(24);
    }

    static String of(Claim claim) {
        return claim.describe() + "#" + of(claim.owner()) + (claim.queue() ? " queued" : "");
    }

    static String of(Grant grant) {
        return grant.name() + "@" + grant.epoch() + "#" + of(grant.owner());
    }

    static String of(AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            return granted.grants().stream()
                    .map(grant -> "granted @" + grant.epoch() + " for "
                            + (grant.validFor() == null
                                    ? "ever"
                                    : millis(grant.validFor().toNanos()))
                            + (grant.wanted() ? " wanted" : ""))
                    .collect(Collectors.joining(", "));
        }
        return outcome instanceof AcquireOutcome.Contended contended
                ? "contended, ask again in " + millis(contended.retryHint().toNanos())
                : outcome.toString();
    }

    static String of(RenewOutcome outcome) {
        return outcome instanceof RenewOutcome.Renewed renewed
                ? "renewed for "
                        + millis(Objects.requireNonNull(renewed.validFor()).toNanos())
                        + (renewed.wanted() ? " wanted" : "")
                : outcome.toString();
    }

    static String millis(long nanos) {
        return Math.floorDiv(nanos, 1_000) / 1_000.0 + " ms";
    }

    static String token(long token) {
        return (token >> 12) + "." + (token & 0xfff);
    }
}
