package dev.holdfast.redis.redlock;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a claim: counts what the nodes answered and says what follows from it. The rules are those of
 * {@code docs/models/FencedRedlock.tla}. Used by one thread.
 */
final class Attempt {
    private static final int REFUSED = 0;
    private static final int GRANTED = 1;
    private static final int EMPTY = 2;
    private static final int TOO_LONG = 3;
    private static final int MISMATCH = 5;

    /** Readers who try for a larger epoch at the same time should not try for the same. */
    private static final int RAISED_BY_AT_MOST = 16;

    private static final int DRIFT_DIVISOR = 100;
    private static final long GRAIN_NANOS = 2_000_000;

    private final Nodes nodes;
    private final Claim claim;
    private final long number;
    private final long sentNanos;

    /** By node: the counter that it answered or acknowledged last, 0 if it did not grant. */
    private final long[] answered;

    /** By node: what is left of its grant. */
    private final long[] leftMillis;

    private final Refusals refusals;
    private final boolean[] counted;

    /** One bit for each node that may hold it, by this attempt or by an earlier one that kept its nodes. */
    private long reached;

    private long epoch;

    /** The largest counter of a node that did not acknowledge the epoch because it was past it; 0 if there is none. */
    private long outrunBy;

    private int granted;
    private int empty;
    private @Nullable RuntimeException fault;
    private @Nullable RuntimeException unconfirmed;

    /**
     * Begins an attempt.
     *
     * @param kept one bit for each node that may hold the claim by an earlier attempt
     */
    Attempt(Nodes nodes, Claim claim, long number, long sentNanos, long kept) {
        this.reached = kept;
        this.nodes = nodes;
        this.claim = claim;
        this.number = number;
        this.sentNanos = sentNanos;
        this.answered = new long[nodes.count()];
        this.leftMillis = new long[nodes.count()];
        this.refusals = new Refusals(nodes);
        this.counted = new boolean[nodes.count()];
    }

    Claim claim() {
        return claim;
    }

    String name() {
        return part().name();
    }

    private Claim.Part part() {
        return claim.parts().get(0);
    }

    long number() {
        return number;
    }

    /** Counts a node's answer, once. */
    void count(int node, Call call, Hints hints) {
        if (counted[node]) {
            return;
        }
        counted[node] = true;
        RuntimeException failure = call.failure();
        if (failure != null) {
            fault = Faults.of("acquire", name(), failure);
            return;
        }
        if (call.answer() instanceof Long counter) {
            granted(node, counter, RedlockCalls.millis(claim.lease()));
            hints.saw(counter);
            return;
        }
        List<?> fields = Answers.list(call.answer());
        switch ((int) Answers.number(fields.get(0))) {
            case REFUSED, MISMATCH -> {
                refusals.count(node, fields);
                hints.saw(Answers.number(fields.get(2)));
            }
            case GRANTED -> {
                granted(node, Answers.number(fields.get(1)), Answers.number(fields.get(2)));
                hints.saw(Answers.number(fields.get(3)));
            }
            case EMPTY -> empty++;
            case TOO_LONG ->
                fault = new StoreMisconfiguredException("a lease of " + claim.lease() + " was asked for '" + name()
                        + "', but the nodes were set up for leases of at most "
                        + Duration.ofMillis(Answers.number(fields.get(1))) + "; use the same '"
                        + RedlockSettings.MAX_LEASE + "' everywhere");
            default -> fault = Answers.unreadable(name(), Answers.text(fields.get(1)));
        }
    }

    private void granted(int node, long counter, long left) {
        granted++;
        answered[node] = counter;
        leftMillis[node] = left;
        // The epoch is the largest answer.
        epoch = Math.max(epoch, counter);
    }

    /** Notes which nodes may hold it now: those that granted it, and those that were asked and did not answer. */
    void noteReached(QuorumRound round) {
        for (int node = 0; node < nodes.count(); node++) {
            if (isGrantedBy(node) || round.isUnknown(node)) {
                reached |= 1L << node;
            } else if (round.isAnswered(node)) {
                reached &= ~(1L << node);
            }
        }
    }

    /** {@return one bit for each node that may hold it} */
    long reached() {
        return reached;
    }

    boolean mayBeHeldBy(int node) {
        return (reached >> node & 1) == 1;
    }

    /** {@return the counter in a node's answer; 0 if it did not grant} */
    static long counterIn(Call call) {
        if (call.answer() instanceof Long counter) {
            return counter;
        }
        List<?> fields = call.failure() == null ? Answers.list(call.answer()) : List.of();
        return !fields.isEmpty() && Answers.number(fields.get(0)) == GRANTED ? Answers.number(fields.get(1)) : 0;
    }

    /** {@return whether a quorum has answered the same: that is a grant, whatever the others say} */
    boolean isAgreed() {
        return agreeing() >= nodes.quorum();
    }

    /**
     * {@return whether answers of this many more nodes could not change what follows} Without them it must not be open
     * either whether others have the name, or nobody can tell.
     */
    boolean isDecided(int pending) {
        return agreeing() >= nodes.quorum()
                || refusals.count() >= nodes.blocking()
                || (isOutvoted() && granted + pending < nodes.quorum())
                || (granted + pending < nodes.quorum() && refusals.count() + pending < nodes.blocking())
                || granted >= nodes.quorum();
    }

    boolean hasQuorum() {
        return granted >= nodes.quorum();
    }

    /** {@return whether a quorum has the epoch, answered or written back} */
    boolean isAcknowledged() {
        return agreeing() >= nodes.quorum();
    }

    boolean isGrantedBy(int node) {
        return answered[node] > 0;
    }

    /** {@return whether a node has answered another counter than the epoch, and so has to be told} */
    boolean differs(int node) {
        return isGrantedBy(node) && !agrees(node);
    }

    long epoch() {
        return epoch;
    }

    long answered(int node) {
        return answered[node];
    }

    /** Counts a node's answer to a write-back: 1 if the epoch is given, 0 if the grant is gone, otherwise its counter. */
    void fenced(int node, long answer) {
        if (answer == 1) {
            answered[node] = epoch;
        } else {
            outrunBy = Math.max(outrunBy, answer);
        }
    }

    /** {@return whether it has a quorum of nodes, but other readers were given its epoch or a larger one on some of them} */
    boolean isOutrun() {
        return outrunBy > 0 && hasQuorum() && !isAcknowledged();
    }

    /** Prepares to write back an epoch that no node has given yet, as far as is known. */
    void raiseIfOutrun(RandomGenerator random) {
        if (isOutrun()) {
            epoch = Math.max(epoch, outrunBy) + 1 + random.nextInt(RAISED_BY_AT_MOST);
            outrunBy = 0;
        }
    }

    /** {@return whether the name is certainly in use as something else} */
    boolean isMismatched() {
        return refusals.isMismatch();
    }

    AcquireOutcome mismatch() {
        return refusals.mismatch(part());
    }

    /** Notes why a node did not say that it has the epoch. */
    void unconfirmed(RuntimeException why) {
        unconfirmed = why;
    }

    /** {@return whether it is certain that this attempt cannot have a quorum, because others have the nodes} */
    boolean isRefused() {
        return refusals.count() >= nodes.blocking() || isOutvoted();
    }

    /**
     * {@return whether a majority has answered, and some of them are others'} It has no quorum then, whatever the silent ones
     * would have said to others: that is an answer, and no doubt.
     */
    private boolean isOutvoted() {
        return refusals.count() > 0 && granted < nodes.quorum() && granted + refusals.count() >= nodes.quorum();
    }

    /** {@return whether nobody seems to have a quorum: some were asking at the same time} */
    boolean isSplit() {
        return isRefused() && !isMismatched() && refusals.areSplit();
    }

    /** {@return whether nobody can have a quorum, not even with the nodes that did not answer} */
    boolean isCertainlySplit() {
        int silent = 0;
        for (boolean known : counted) {
            silent += known ? 0 : 1;
        }
        return isSplit() && refusals.mostVotes() + silent < nodes.quorum();
    }

    /** {@return whether of those who asked at the same time this one has got the most} */
    boolean leads() {
        return refusals.yieldTo(claim, granted);
    }

    /** {@return when so many of the grants that are in the way have run out that a quorum is possible} */
    Duration retryHint() {
        return refusals.retryHint(granted);
    }

    /** {@return how long a quorum holds: the least of the best quorum, counted from before it was asked} */
    Duration validFor() {
        long[] left = new long[nodes.count()];
        for (int node = 0; node < nodes.count(); node++) {
            left[node] = agrees(node) ? leftMillis[node] : 0;
        }
        Arrays.sort(left);
        return Duration.ofMillis(left[nodes.count() - nodes.quorum()]);
    }

    /** {@return whether there is anything left of the grant after the time that it took} */
    boolean isStillValid(long nowNanos) {
        long valid = validFor().toNanos();
        return nowNanos - sentNanos < valid - valid / DRIFT_DIVISOR - GRAIN_NANOS;
    }

    Grant grant() {
        return new Grant(name(), claim.owner(), epoch, claim.lease(), validFor(), null, true);
    }

    /** {@return why there is neither a grant nor a refusal} */
    HoldfastException shortfall(QuorumRound round, Recovery recovery) {
        if (fault instanceof StoreMisconfiguredException misconfigured) {
            return misconfigured;
        }
        if (granted + empty >= nodes.quorum() && !hasQuorum()) {
            return StoreUnavailableException.because(
                    "acquire",
                    name(),
                    empty + " of " + nodes.count()
                            + " nodes are new or have lost their memory and do not vote yet, and " + nodes.quorum()
                            + " have to grant it; " + recovery.outlook());
        }
        StringBuilder why = new StringBuilder();
        why.append(nodes.quorum()).append(" of ").append(nodes.count()).append(" nodes have to grant it, ");
        why.append(granted).append(" did");
        if (refusals.count() > 0) {
            why.append(", ").append(refusals.count()).append(" refused");
        }
        if (empty > 0) {
            why.append(", ").append(empty).append(" are new or have lost their memory and do not vote yet");
        }
        if (hasQuorum() && !isAcknowledged()) {
            why.append(", but too few of them have confirmed its token");
        }
        RuntimeException first = fault;
        if (unconfirmed != null) {
            first = unconfirmed;
            why.append("; ").append(unconfirmed.getMessage());
        }
        for (int node = 0; node < nodes.count(); node++) {
            RuntimeException failure = round.failure(node);
            if (failure != null) {
                HoldfastException known = Faults.of("acquire", name(), failure);
                if (known instanceof StoreMisconfiguredException) {
                    return known;
                }
                first = failure;
                why.append("; ").append(failure.getMessage());
            }
        }
        return new StoreUnavailableException("acquire", name(), new IllegalStateException(why.toString(), first));
    }

    boolean meetsEmptyNodes() {
        return empty > 0;
    }

    private boolean agrees(int node) {
        return answered[node] > 0 && answered[node] == epoch;
    }

    private int agreeing() {
        int count = 0;
        for (int node = 0; node < nodes.count(); node++) {
            count += agrees(node) ? 1 : 0;
        }
        return count;
    }
}
