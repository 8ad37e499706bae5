package dev.holdfast.server.lease;

import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Until when a lease is certainly held: counted from before the store was asked, and less what clocks may drift. */
final class Validity {
    private static final long PERCENT = 100;
    private static final long MARGIN_NANOS = 2_000_000;

    private Validity() {}

    static long ofGrants(long sentNanos, List<Grant> grants, Duration lease) {
        long until = end(sentNanos, lease);
        for (Grant grant : grants) {
            until = Math.min(until, end(sentNanos, grant.validFor(), lease));
        }
        return until;
    }

    static long ofRenewals(long sentNanos, List<RenewOutcome> outcomes, Duration lease) {
        long until = end(sentNanos, lease);
        for (RenewOutcome outcome : outcomes) {
            if (outcome instanceof RenewOutcome.Renewed renewed) {
                until = Math.min(until, end(sentNanos, renewed.validFor(), lease));
            }
        }
        return until;
    }

    private static long end(long sentNanos, @Nullable Duration validFor, Duration lease) {
        return end(sentNanos, validFor == null ? lease : validFor);
    }

    private static long end(long sentNanos, Duration validFor) {
        long nanos = validFor.toNanos();
        return sentNanos + nanos - nanos / PERCENT - MARGIN_NANOS;
    }
}
