package dev.holdfast.server.lease;

import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;

/** What the store says when it is asked to keep all grants of a lease for longer. */
sealed interface Renewal {
    /** All of them are kept, until then for certain. */
    record Renewed(long sentNanos, long untilNanos) implements Renewal {}

    /** One of them at least is gone. */
    record Lost(LossReason reason) implements Renewal {}

    /** None is known to be gone, but not all are known to be kept. */
    record Unknown(RuntimeException cause) implements Renewal {}

    /** Asks the store; on a thread that may block. */
    static Renewal of(StoreLink link, List<Grant> grants, Duration lease) {
        long sent = link.now();
        List<RenewOutcome> outcomes;
        try {
            outcomes = link.store().renew(grants);
        } catch (StoreUnavailableException unanswered) {
            return new Unknown(unanswered);
        }
        Renewal worst = new Renewed(sent, Validity.ofRenewals(sent, outcomes, lease));
        for (RenewOutcome outcome : outcomes) {
            if (outcome instanceof RenewOutcome.Lost lost) {
                return new Lost(lost.reason());
            }
            if (outcome instanceof RenewOutcome.Unknown unknown) {
                worst = new Unknown(unknown.cause());
            }
        }
        return worst;
    }

    /** {@return the grants, to be kept for so long} */
    static List<Grant> lasting(List<Grant> grants, Duration lease) {
        return grants.stream()
                .map(grant -> new Grant(
                        grant.name(),
                        grant.owner(),
                        grant.epoch(),
                        lease,
                        grant.validFor(),
                        grant.session(),
                        grant.wanted()))
                .toList();
    }
}
