package dev.holdfast.redis.redlock;

import dev.holdfast.HoldfastException;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Renews and releases grants on all nodes, many in one request. What a quorum says counts; what is certain is told, and
 * otherwise that it is unknown. Thread-safe.
 */
final class RedlockGrants {
    /** So many names are handled by one run of a script; more would keep other clients waiting. */
    private static final int MOST_PER_SCRIPT = 100;

    private static final int RELEASED = 1;
    private static final int EXTENDED = 0;
    private static final int EVICTED = -2;
    private static final long NO_ANSWER = Long.MIN_VALUE;

    private final Nodes nodes;
    private final RedlockCalls calls;
    private final LongSupplier latestAttempt;
    private final ReachedNodes reached;

    RedlockGrants(Nodes nodes, RedlockCalls calls, LongSupplier latestAttempt, ReachedNodes reached) {
        this.reached = reached;
        this.nodes = nodes;
        this.calls = calls;
        this.latestAttempt = latestAttempt;
    }

    List<RenewOutcome> renew(List<Grant> grants) {
        long attempt = latestAttempt.getAsLong();
        QuorumRound round = ask(grants, calls::renew, answered -> false);
        long[][] words = words(round, grants.size());
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            RenewOutcome outcome = renewed(words[i], grants.get(i), round);
            if (outcome instanceof RenewOutcome.Renewed) {
                tellTheEpoch(words[i], grants.get(i), attempt);
            }
            outcomes.add(outcome);
        }
        round.leave(node -> {});
        return outcomes;
    }

    List<ReleaseOutcome> release(List<Grant> grants) {
        long attempt = latestAttempt.getAsLong();
        QuorumRound round = ask(grants, calls::release, answered -> isReleased(answered, grants.size()));
        long[][] words = words(round, grants.size());
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            ReleaseOutcome outcome = released(words[i], grants.get(i), round);
            if (!(outcome instanceof ReleaseOutcome.NotHeld)) {
                releaseTheRest(words[i], grants.get(i), attempt, round);
            }
            if (!(outcome instanceof ReleaseOutcome.Unknown) && round.pending() == 0) {
                reached.forget(grants.get(i).owner());
            }
            outcomes.add(outcome);
        }
        round.leave(node -> releasedLate(round.calls(node), grants, nodes.all().get(node), attempt));
        return outcomes;
    }

    /** Lost is said only if so many nodes do not hold it that the others are no quorum. */
    private RenewOutcome renewed(long[] words, Grant grant, QuorumRound round) {
        int extended = 0;
        int gone = 0;
        boolean evicted = false;
        for (long word : words) {
            extended += word == EXTENDED ? 1 : 0;
            gone += word == EXTENDED || word == NO_ANSWER ? 0 : 1;
            evicted |= word == EVICTED;
        }
        if (extended >= nodes.quorum()) {
            return new RenewOutcome.Renewed(grant.lease(), true);
        }
        return gone >= nodes.blocking()
                ? new RenewOutcome.Lost(evicted ? LossReason.EVICTED : LossReason.EXPIRED)
                : new RenewOutcome.Unknown(unknown("renew", grant, extended, round));
    }

    private ReleaseOutcome released(long[] words, Grant grant, QuorumRound round) {
        int released = 0;
        int notHeld = 0;
        for (int node = 0; node < words.length; node++) {
            released += words[node] == RELEASED ? 1 : 0;
            // After a request that was repeated, the first one may have released it.
            notHeld += words[node] == NO_ANSWER || words[node] == RELEASED || isRepeated(round, node) ? 0 : 1;
        }
        if (released >= nodes.quorum()) {
            return ReleaseOutcome.RELEASED;
        }
        return notHeld >= nodes.blocking()
                ? ReleaseOutcome.NOT_HELD
                : new ReleaseOutcome.Unknown(unknown("release", grant, released, round));
    }

    /** A node that joined late holds for the same owner with a counter of its own; now it learns the epoch. */
    private void tellTheEpoch(long[] words, Grant grant, long attempt) {
        for (Node node : nodes.all()) {
            long word = words[node.index()];
            if (word > EXTENDED) {
                node.tell(
                        new DeferredCalls.Key(DeferredCalls.Topic.EPOCH, grant.name(), grant.owner()),
                        attempt,
                        () -> calls.tell(grant, word, attempt),
                        grant.lease());
            }
        }
    }

    /** Whoever did not release it may hold it with another counter, or hear the request to acquire it later than this. */
    private void releaseTheRest(long[] words, Grant grant, long attempt, QuorumRound round) {
        for (Node node : nodes.all()) {
            if (words[node.index()] != RELEASED && !round.isPending(node.index())) {
                undoLater(node, grant, attempt);
            }
        }
    }

    private void undoLater(Node node, Grant grant, long attempt) {
        if ((reached.of(grant.owner()) >> node.index() & 1) == 1) {
            node.tell(
                    new DeferredCalls.Key(DeferredCalls.Topic.UNDO, grant.name(), grant.owner()),
                    attempt,
                    () -> calls.undo(grant.name(), grant.owner(), attempt, true),
                    afterwards(grant));
        }
    }

    /** A node whose answer nobody waited for has not released it after all. */
    private void releasedLate(List<Call> answers, List<Grant> grants, Node node, long attempt) {
        for (int i = 0; i < grants.size(); i++) {
            Call call = answers.get(i / MOST_PER_SCRIPT);
            Grant grant = grants.get(i);
            if (call.failure() != null || word(call, i) != RELEASED) {
                undoLater(node, grant, attempt);
            }
        }
    }

    /** Whether a quorum has released everything, so that nothing else can be said of it. */
    private boolean isReleased(QuorumRound round, int grants) {
        if (grants > 1) {
            return false;
        }
        int released = 0;
        for (int node = 0; node < nodes.count(); node++) {
            for (Call call : round.answers(node)) {
                released += call.failure() == null && word(call, 0) == RELEASED ? 1 : 0;
            }
        }
        return released >= nodes.quorum();
    }

    private QuorumRound ask(List<Grant> grants, Function<List<Grant>, Call> question, Predicate<QuorumRound> enough) {
        List<Call> first = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += MOST_PER_SCRIPT) {
            first.add(question.apply(grants.subList(from, Math.min(grants.size(), from + MOST_PER_SCRIPT))));
        }
        IntFunction<List<Call>> questions = node -> first.size() == 1
                ? List.of(first.get(0).twin())
                : first.stream().map(Call::twin).toList();
        return nodes.ask(questions, enough, enough, nodes.deadline());
    }

    /** What each node said, by grant and node. */
    private long[][] words(QuorumRound round, int grants) {
        long[][] words = new long[grants][nodes.count()];
        for (int node = 0; node < nodes.count(); node++) {
            List<Call> answers = round.answers(node);
            for (int i = 0; i < grants; i++) {
                words[i][node] = NO_ANSWER;
                if (!answers.isEmpty() && answers.get(i / MOST_PER_SCRIPT).failure() == null) {
                    words[i][node] = word(answers.get(i / MOST_PER_SCRIPT), i);
                }
            }
        }
        return words;
    }

    /** What a call that was answered says of a grant; in the common case of one grant it is a single word. */
    private static long word(Call call, int grant) {
        return call.answer() instanceof Long only
                ? only
                : Answers.number(Answers.list(call.answer()).get(grant % MOST_PER_SCRIPT));
    }

    private static boolean isRepeated(QuorumRound round, int node) {
        List<Call> answers = round.answers(node);
        return !answers.isEmpty() && answers.get(0).isRepeated();
    }

    private HoldfastException unknown(String operation, Grant grant, int said, QuorumRound round) {
        @Nullable RuntimeException cause = null;
        for (int node = 0; node < nodes.count(); node++) {
            RuntimeException failure = round.failure(node);
            cause = failure == null ? cause : failure;
        }
        String why = said + " of the " + nodes.quorum() + " nodes that are needed have confirmed it"
                + (cause == null ? "" : "; " + cause.getMessage());
        return new StoreUnavailableException(operation, grant.name(), new IllegalStateException(why, cause));
    }

    private static Duration afterwards(Grant grant) {
        return grant.lease().plusMinutes(1);
    }
}
