package dev.holdfast.redis.lock;

import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes several names in a cluster, one after another in sorted order.
 *
 * <p>A claim that waits keeps the names before the one it waits for, and stands in one line only. Everybody takes names
 * in the same order, so of all claims that wait for each other one waits for a name that a complete claim holds: there
 * is no deadlock; and each line is served in order, so there is no starvation. Names that are kept are extended whenever
 * the claim asks again. Should one be lost meanwhile, everything behind it is given up, because waiting for an earlier
 * name while keeping a later one could close a circle. Thread-safe for different claims.
 */
final class NameByName {
    /** Ask again at least this often per lease, so that names which are kept do not run out. */
    private static final int POLLS_PER_LEASE = 3;

    private final Claims claims;

    /** How many parts of a waiting claim have been asked for so far. */
    private final Map<OwnerId, Integer> reached = new ConcurrentHashMap<>();

    NameByName(Claims claims) {
        this.claims = claims;
    }

    /** Asks for one name after the other, all within one deadline. */
    AcquireOutcome acquire(Claim claim, Deadline deadline) {
        List<Claim.Part> parts = claim.parts();
        List<Grant> grants = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            reached.merge(claim.owner(), i + 1, Math::max);
            AcquireOutcome outcome = claims.acquirePart(claim, parts.get(i), deadline);
            if (outcome instanceof AcquireOutcome.Granted granted) {
                grants.addAll(granted.grants());
            } else {
                return stopAt(i, claim, outcome, deadline);
            }
        }
        reached.remove(claim.owner());
        return new AcquireOutcome.Granted(grants);
    }

    void forget(Claim claim) {
        reached.remove(claim.owner());
    }

    private AcquireOutcome stopAt(int stopped, Claim claim, AcquireOutcome outcome, Deadline deadline) {
        int tried = reached.getOrDefault(claim.owner(), stopped + 1);
        if (claim.queue() && outcome instanceof AcquireOutcome.Contended contended) {
            giveUp(claim, stopped + 1, tried, deadline);
            reached.put(claim.owner(), stopped + 1);
            Duration latest = claim.lease().dividedBy(POLLS_PER_LEASE);
            Duration hint = contended.retryHint();
            return new AcquireOutcome.Contended(stopped > 0 && hint.compareTo(latest) > 0 ? latest : hint);
        }
        giveUp(claim, 0, tried, deadline);
        reached.remove(claim.owner());
        return outcome;
    }

    private void giveUp(Claim claim, int from, int to, Deadline deadline) {
        if (from < to) {
            claims.withdrawParts(claim, claim.parts().subList(from, to), deadline);
        }
    }
}
