package dev.holdfast.redis.redlock;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.spi.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/** Sees to it that a quorum has the epoch of a grant, and tells it to the nodes beyond the quorum. Thread-safe. */
final class WriteBack {
    /** How often a larger epoch is tried where other readers have got ahead of it. */
    private static final int MOST_RAISES = 6;

    private final Nodes nodes;
    private final RedlockCalls calls;
    private final LongAdder unneeded = new LongAdder();
    private final LongAdder needed = new LongAdder();

    WriteBack(Nodes nodes, RedlockCalls calls) {
        this.nodes = nodes;
        this.calls = calls;
    }

    /** {@return how many grants took one round so far} */
    long grantsInOneRound() {
        return unneeded.sum();
    }

    /** {@return how many grants took a second one} */
    long grantsInTwoRounds() {
        return needed.sum();
    }

    /** The second round, where the nodes of a quorum did not all answer the same. */
    void confirm(List<Attempt> made, long untilNanos) {
        List<Attempt> differing = new ArrayList<>();
        for (Attempt attempt : made) {
            if (attempt.hasQuorum() && !attempt.isAcknowledged()) {
                differing.add(attempt);
                needed.increment();
            } else if (attempt.hasQuorum()) {
                unneeded.increment();
            }
        }
        for (int i = 0; i < MOST_RAISES && !differing.isEmpty(); i++) {
            differing.forEach(attempt -> attempt.raiseIfOutrun(nodes.context().random()));
            writeBackOnce(differing, untilNanos);
            differing.removeIf(attempt -> !attempt.isOutrun());
        }
    }

    private void writeBackOnce(List<Attempt> differing, long untilNanos) {
        List<List<Attempt>> byNode = new ArrayList<>(nodes.count());
        for (int node = 0; node < nodes.count(); node++) {
            int at = node;
            byNode.add(differing.stream().filter(attempt -> attempt.differs(at)).toList());
        }
        boolean[] counted = new boolean[nodes.count()];
        Predicate<QuorumRound> enough = answered -> {
            count(answered, byNode, counted);
            return differing.stream().allMatch(Attempt::isAcknowledged);
        };
        QuorumRound round;
        try {
            round = nodes.ask(
                    node -> byNode.get(node).stream()
                            .map(attempt -> fence(attempt, node))
                            .toList(),
                    enough,
                    enough,
                    untilNanos);
        } catch (StoreUnavailableException busy) {
            differing.forEach(attempt -> attempt.unconfirmed(busy));
            return;
        }
        count(round, byNode, counted);
        round.leave(node -> {});
        for (int node = 0; node < nodes.count(); node++) {
            RuntimeException failure = round.failure(node);
            if (failure != null) {
                byNode.get(node).forEach(attempt -> attempt.unconfirmed(failure));
            }
        }
    }

    /** Counts what nodes have answered, each once. */
    private void count(QuorumRound round, List<List<Attempt>> byNode, boolean[] counted) {
        for (int node = 0; node < nodes.count(); node++) {
            if (!counted[node] && round.isAnswered(node)) {
                counted[node] = true;
                List<Attempt> asked = byNode.get(node);
                for (int i = 0; i < asked.size(); i++) {
                    Call call = round.answers(node).get(i);
                    RuntimeException failure = call.failure();
                    if (failure != null) {
                        asked.get(i).unconfirmed(failure);
                    } else {
                        asked.get(i).fenced(node, Answers.number(call.answer()));
                    }
                }
            }
        }
    }

    private Call fence(Attempt attempt, int node) {
        return calls.fence(
                attempt.name(), attempt.claim().owner(), attempt.answered(node), attempt.epoch(), attempt.number());
    }

    /** Nodes beyond the quorum that answered another counter hold for the same owner, and should hold with its epoch. */
    void tellTheRest(Attempt attempt) {
        for (Node node : nodes.all()) {
            if (attempt.differs(node.index())) {
                tell(attempt.grant(), node, attempt.answered(node.index()), attempt.number());
            }
        }
    }

    /** Tells a node that granted with another counter, or late. */
    void tell(Grant grant, Node node, long answered, long attempt) {
        if (answered > 0 && answered != grant.epoch()) {
            node.tell(
                    new DeferredCalls.Key(DeferredCalls.Topic.EPOCH, grant.name(), grant.owner()),
                    attempt,
                    () -> calls.tell(grant, answered, attempt),
                    grant.lease());
        }
    }
}
