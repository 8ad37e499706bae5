package dev.holdfast.redis.redlock;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Call;
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
    void undo(List<Attempt> failed, QuorumRound round, long untilNanos) {
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
                } else if (attempt.mayBeHeldBy(node.index())) {
                    undoLater(node, attempt);
                }
            }
            any |= !taken.isEmpty();
            byNode.add(taken);
        }
        if (!any) {
            return;
        }
        try {
            QuorumRound undone = nodes.askAll(
                    node -> byNode.get(node).stream()
                            .map(attempt ->
                                    calls.undo(attempt.name(), attempt.claim().owner(), attempt.number(), false))
                            .toList(),
                    untilNanos);
            undone.leave(node -> {});
            for (Node node : nodes.all()) {
                List<Attempt> taken = byNode.get(node.index());
                List<Call> answers = undone.answers(node.index());
                for (int i = 0; i < taken.size(); i++) {
                    if (answers.isEmpty() || answers.get(i).failure() != null) {
                        undoLater(node, taken.get(i));
                    }
                }
            }
        } catch (StoreUnavailableException busy) {
            nodes.all().forEach(node -> byNode.get(node.index()).forEach(attempt -> undoLater(node, attempt)));
        }
    }

    private void undoLater(Node node, Attempt attempt) {
        Claim claim = attempt.claim();
        node.tell(
                new DeferredCalls.Key(DeferredCalls.Topic.UNDO, attempt.name(), claim.owner()),
                attempt.number(),
                () -> calls.undo(attempt.name(), claim.owner(), attempt.number(), true),
                afterwards(claim));
    }

    /** A request that is still on its way may take effect later, and holds for the lease then. */
    static Duration afterwards(Claim claim) {
        return claim.lease().plusMinutes(1);
    }
}
