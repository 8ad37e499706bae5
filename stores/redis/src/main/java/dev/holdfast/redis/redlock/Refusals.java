package dev.holdfast.redis.redlock;

import dev.holdfast.LockKind;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who has the nodes that refused an attempt, as far as they have told. Used by one thread. */
final class Refusals {
    /** What a node tells a writer that is refused by readers: they are one party, however many they are. */
    private static final byte[] READERS = Keys.bytes("readers");

    private static final int WITH_KIND = 5;

    private final Nodes nodes;

    /** By node: who has it; empty if the claim was withdrawn, null if it did not refuse. */
    private final byte[] @Nullable [] holders;

    private final long[] leftMillis;
    private int count;
    private int mismatches;

    /** What the name is in use as, if a node has said that this is something else. */
    private LockKind heldAs = LockKind.EXCLUSIVE;

    Refusals(Nodes nodes) {
        this.nodes = nodes;
        this.holders = new byte[nodes.count()][];
        this.leftMillis = new long[nodes.count()];
    }

    /** Counts a refusal; if the name is in use as another kind, that is told too. */
    void count(int node, List<?> fields) {
        count++;
        leftMillis[node] = Answers.number(fields.get(1));
        holders[node] = Answers.bytes(fields.get(3));
        if (fields.size() == WITH_KIND) {
            mismatches++;
            heldAs = Answers.bytes(fields.get(4))[0] == RedlockCalls.LOCK ? LockKind.EXCLUSIVE : LockKind.READ_WRITE;
        }
    }

    /** {@return how many nodes have refused} */
    int count() {
        return count;
    }

    /** {@return whether the name is certainly in use as something else} */
    boolean isMismatch() {
        return mismatches >= nodes.blocking();
    }

    AcquireOutcome mismatch(Claim.Part asked) {
        return Answers.mismatch(asked, heldAs, heldAs == LockKind.EXCLUSIVE ? 1 : Claim.MANY);
    }

    /** {@return whether none of them seems to have a quorum} */
    boolean areSplit() {
        for (byte[] holder : holders) {
            if (holder != null && holder.length == 0) {
                return false;
            }
        }
        return mostVotes() < nodes.quorum();
    }

    /** {@return how many nodes the one has that has most of them} */
    int mostVotes() {
        int most = 0;
        for (byte[] holder : holders) {
            most = holder == null ? most : Math.max(most, votesOf(holder));
        }
        return most;
    }

    /**
     * {@return whether none of them has as many nodes as a claim has} If one has equally many, a writer goes before readers,
     * and otherwise the larger id.
     */
    boolean yieldTo(Claim claim, int granted) {
        boolean reader = RedlockCalls.isReader(claim.parts().get(0));
        byte[] own = Records.owner(claim.owner());
        for (byte[] other : holders) {
            if (other != null) {
                int votes = votesOf(other);
                if (votes > granted || (votes == granted && (reader || precedes(other, own)))) {
                    return false;
                }
            }
        }
        return granted > 0;
    }

    /** {@return when so many of their grants have run out that a claim that has some nodes can have a quorum} */
    Duration retryHint(int granted) {
        long[] ends = new long[count];
        int at = 0;
        for (int node = 0; node < nodes.count(); node++) {
            if (holders[node] != null) {
                ends[at++] = leftMillis[node];
            }
        }
        Arrays.sort(ends);
        int needed = Math.max(1, Math.min(count, nodes.quorum() - granted));
        return Duration.ofMillis(Math.max(1, ends[needed - 1]));
    }

    private static boolean precedes(byte[] other, byte[] own) {
        return !Arrays.equals(other, READERS) && Arrays.compareUnsigned(other, own) > 0;
    }

    private int votesOf(byte[] owner) {
        int votes = 0;
        for (byte[] holder : holders) {
            votes += Arrays.equals(holder, owner) ? 1 : 0;
        }
        return votes;
    }
}
