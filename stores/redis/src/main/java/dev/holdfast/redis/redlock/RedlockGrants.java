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
 * otherwise that it is unknown.
 *
 * <p>A node whose answer came late or was lost may hold a grant with another counter than its epoch. If a quorum needs such
 * nodes, they are told the epoch and asked again. Thread-safe.
 */
final class RedlockGrants {
    /** So many names are handled by one run of a script; more would keep other clients waiting. */
    private static final int MOST_PER_SCRIPT = 100;

    /** A node has done what was asked. A negative word says that it does not hold the grant, a positive one its other counter. */
    private static final long DONE = 0;

    private static final long EVICTED = -2;
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
        long until = nodes.deadline();
        QuorumRound round = ask(grants, calls::renew, answered -> false, until);
        long[][] words = words(round, grants.size());
        askAgainByTheEpoch(grants, words, calls::renew, attempt, until);
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
        long until = nodes.deadline();
        QuorumRound round = ask(grants, calls::release, answered -> isReleased(answered, grants.size()), until);
        long[][] words = words(round, grants.size());
        askAgainByTheEpoch(grants, words, calls::release, attempt, until);
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        boolean[] hasAnother = new boolean[grants.size()];
        for (int i = 0; i < grants.size(); i++) {
            ReleaseOutcome outcome = released(words[i], grants.get(i), round);
            outcomes.add(outcome);
            hasAnother[i] = isHeldAnew(words[i]);
            if (!hasAnother[i]) {
                releaseTheRest(words[i], grants.get(i), outcome, attempt, round);
                if (!(outcome instanceof ReleaseOutcome.Unknown) && round.pending() == 0) {
                    reached.forget(grants.get(i).owner());
                }
            }
        }
        round.leave(node ->
                releasedLate(round.calls(node), grants, hasAnother, nodes.all().get(node), attempt));
        return outcomes;
    }

    /** Lost is said only if so many nodes do not hold it that the others are no quorum. */
    private RenewOutcome renewed(long[] words, Grant grant, QuorumRound round) {
        int extended = 0;
        int gone = 0;
        boolean evicted = false;
        for (long word : words) {
            extended += word == DONE ? 1 : 0;
            gone += word == DONE || word == NO_ANSWER ? 0 : 1;
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
            released += words[node] == DONE ? 1 : 0;
            // After a request that was repeated, the first one may have released it.
            notHeld += words[node] == NO_ANSWER || words[node] == DONE || isRepeated(round, node) ? 0 : 1;
        }
        if (released >= nodes.quorum()) {
            return ReleaseOutcome.RELEASED;
        }
        return notHeld >= nodes.blocking()
                ? ReleaseOutcome.NOT_HELD
                : new ReleaseOutcome.Unknown(unknown("release", grant, released, round));
    }

    /** The second round, for those grants that lack a quorum only because nodes hold them with another counter. */
    private void askAgainByTheEpoch(
            List<Grant> grants, long[][] words, Function<List<Grant>, Call> question, long attempt, long untilNanos) {
        List<Integer> lacking = new ArrayList<>();
        for (int i = 0; i < words.length; i++) {
            if (isHeldOtherwise(words[i], grants.get(i))) {
                lacking.add(i);
            }
        }
        if (lacking.isEmpty()) {
            return;
        }
        List<List<Integer>> byNode = new ArrayList<>(nodes.count());
        for (int node = 0; node < nodes.count(); node++) {
            int at = node;
            byNode.add(lacking.stream().filter(i -> words[i][at] > DONE).toList());
        }
        QuorumRound again = nodes.askAll(
                node -> {
                    List<Integer> asked = byNode.get(node);
                    List<Call> all = new ArrayList<>();
                    asked.forEach(i -> all.add(calls.tell(grants.get(i), words[i][node], attempt)));
                    all.addAll(questions(asked.stream().map(grants::get).toList(), question));
                    return all;
                },
                untilNanos);
        again.leave(node -> {});
        for (int node = 0; node < nodes.count(); node++) {
            List<Call> answers = again.answers(node);
            List<Integer> asked = byNode.get(node);
            for (int i = 0; i < asked.size() && !answers.isEmpty(); i++) {
                Call call = answers.get(asked.size() + i / MOST_PER_SCRIPT);
                if (call.failure() == null) {
                    words[asked.get(i)][node] = word(call, i);
                }
            }
        }
    }

    /**
     * Whether a quorum holds a grant, but some of its nodes with other counters. They do not count if a node may have lost the
     * grant: then somebody else may have had the name in between, and they may hold it by a request that came after that.
     */
    private boolean isHeldOtherwise(long[] words, Grant grant) {
        int done = 0;
        int otherwise = 0;
        for (int node = 0; node < words.length; node++) {
            if (words[node] < DONE && words[node] != NO_ANSWER && mayBeHeldBy(node, grant)) {
                return false;
            }
            done += words[node] == DONE ? 1 : 0;
            otherwise += words[node] > DONE ? 1 : 0;
        }
        return done < nodes.quorum() && done + otherwise >= nodes.quorum() && !isHeldAnew(words);
    }

    /**
     * Whether the owner has the name by another grant. A quorum was told the epoch when a grant was made, so that no more than
     * the other nodes can hold it with another counter.
     */
    private boolean isHeldAnew(long[] words) {
        int otherwise = 0;
        for (long word : words) {
            otherwise += word > DONE ? 1 : 0;
        }
        return otherwise > nodes.count() - nodes.quorum();
    }

    private boolean mayBeHeldBy(int node, Grant grant) {
        return (reached.of(grant.owner()) >> node & 1) == 1;
    }

    /** A node that joined late holds for the same owner with a counter of its own; now it learns the epoch. */
    private void tellTheEpoch(long[] words, Grant grant, long attempt) {
        for (Node node : nodes.all()) {
            long word = words[node.index()];
            if (word > DONE) {
                node.tell(
                        new DeferredCalls.Key(DeferredCalls.Topic.EPOCH, grant.name(), grant.owner()),
                        attempt,
                        () -> calls.tell(grant, word, attempt),
                        grant.lease());
            }
        }
    }

    /**
     * Whoever did not release it may hold it with another counter, or hear the request to acquire it later than this. Where a
     * quorum does not hold it any more, it ended some time ago, and nobody asks late.
     */
    private void releaseTheRest(long[] words, Grant grant, ReleaseOutcome outcome, long attempt, QuorumRound round) {
        for (Node node : nodes.all()) {
            long word = words[node.index()];
            boolean mayHold =
                    outcome instanceof ReleaseOutcome.NotHeld ? word > DONE || word == NO_ANSWER : word != DONE;
            if (mayHold && !round.isPending(node.index())) {
                undoLater(node, grant, attempt);
            }
        }
    }

    private void undoLater(Node node, Grant grant, long attempt) {
        if (mayBeHeldBy(node.index(), grant)) {
            node.tell(
                    new DeferredCalls.Key(DeferredCalls.Topic.UNDO, grant.name(), grant.owner()),
                    attempt,
                    () -> calls.undo(grant.name(), grant.owner(), attempt, true),
                    afterwards(grant));
        }
    }

    /** A node whose answer nobody waited for has not released it after all. */
    private void releasedLate(List<Call> answers, List<Grant> grants, boolean[] hasAnother, Node node, long attempt) {
        for (int i = 0; i < grants.size(); i++) {
            Call call = answers.get(i / MOST_PER_SCRIPT);
            if (!hasAnother[i] && (call.failure() != null || word(call, i) != DONE)) {
                undoLater(node, grants.get(i), attempt);
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
                released += call.failure() == null && word(call, 0) == DONE ? 1 : 0;
            }
        }
        return released >= nodes.quorum();
    }

    private QuorumRound ask(
            List<Grant> grants, Function<List<Grant>, Call> question, Predicate<QuorumRound> enough, long untilNanos) {
        List<Call> first = questions(grants, question);
        IntFunction<List<Call>> questions = node -> first.size() == 1
                ? List.of(first.get(0).twin())
                : first.stream().map(Call::twin).toList();
        return nodes.ask(questions, enough, enough, untilNanos);
    }

    /** So many at a time that no run of a script is long. */
    private static List<Call> questions(List<Grant> grants, Function<List<Grant>, Call> question) {
        List<Call> calls = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += MOST_PER_SCRIPT) {
            calls.add(question.apply(grants.subList(from, Math.min(grants.size(), from + MOST_PER_SCRIPT))));
        }
        return calls;
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
