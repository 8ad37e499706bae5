package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a claim holds: with which version of the node of each name, by which session. */
record Holding(Claim claim, Session session, SingleNodes.Taken taken) {
    boolean isOf(Grant grant) {
        return taken.epoch() == grant.epoch() && taken.has(grant.name());
    }

    List<Grant> grants() {
        List<Grant> grants = new ArrayList<>();
        for (Claim.Part part : claim.parts()) {
            grants.add(new Grant(
                    part.name(),
                    claim.owner(),
                    taken.epoch(),
                    claim.lease(),
                    validFor(session, claim.lease()),
                    session.name(),
                    true));
        }
        return grants;
    }

    static Duration validFor(Session session, Duration lease) {
        Duration trust = session.trust();
        return trust.compareTo(lease) < 0 ? trust : lease;
    }
}
