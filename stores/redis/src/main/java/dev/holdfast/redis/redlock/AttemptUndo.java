package dev.holdfast.redis.redlock;

import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Takes back from nodes what failed attempts got there, or may still get. Thread-safe. */
final class AttemptUndo {
    private final Nodes nodes;
    private final RedlockCalls calls;

    AttemptUndo(Nodes nodes, RedlockCalls calls) {
        this.nodes = nodes;
        this.calls = calls;
    }

    /** Takes back what failed attempts got, at once where they got it, and in the background where that is not known. */
    void undo(List<Attempt> failed, QuorumRound round) {
        if (failed.isEmpty()) {
            return;
        }
        List<List<Attempt>> byNode = new ArrayList<>(nodes.count());
        boolean any = false;
        for (Node node : nodes.all()) {
            List<Attempt> taken = new ArrayList<>();
            for (Attempt attempt : failed) {
                if (attempt.isGrantedBy(node.index())) {
                    taken.add(attempt);
                } else if (round.isUnknown(node.index())) {
                    undoLater(node, attempt);
                }
            }
            any |= !taken.isEmpty();
            byNode.add(taken);
        }
        if (!any) {
            return;
        }
        QuorumRound undone = nodes.askAll(node -> byNode.get(node).stream()
                .map(attempt -> calls.undo(attempt.name(), attempt.claim().owner(), attempt.number(), false))
                .toList());
        for (Node node : nodes.all()) {
            if (!byNode.get(node.index()).isEmpty() && !undone.isAnswered(node.index())) {
                byNode.get(node.index()).forEach(attempt -> undoLater(node, attempt));
            }
        }
        undone.leave(node -> {});
    }

    private void undoLater(Node node, Attempt attempt) {
        node.tell(
                () -> calls.undo(attempt.name(), attempt.claim().owner(), attempt.number(), true),
                afterwards(attempt.claim()));
    }

    /** A request that is still on its way may take effect later, and holds for the lease then. */
    static Duration afterwards(Claim claim) {
        return claim.lease().plusMinutes(1);
    }
}
