package dev.holdfast.redis;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a quorum for claims, and ends them.
 *
 * <p>Every attempt has a number of its own. What an attempt that failed took is taken back from every node that granted it
 * or may have, but never what a later attempt of the same owner took there. When several clients ask in the same moment and
 * none gets a quorum, the one with the most nodes keeps them and asks again; the others give theirs back and step aside for
 * a random time. Thread-safe.
 */
final class RedlockClaims {
    /** How often a larger epoch is tried where other readers have got ahead of it. */
    private static final int MOST_RAISES = 6;

    private static final int MOST_TRIES = 10;
    private static final int MOST_DOUBLINGS = 5;
    private static final long LONGEST_STEP_ASIDE_NANOS = 20_000_000;
    private static final long SHORTEST_STEP_ASIDE_NANOS = 50_000;
    private static final Duration LONGEST_HINT = Duration.ofSeconds(1);
    private static final int SPLIT_HINT_MILLIS = 10;

    private final Nodes nodes;
    private final StoreContext context;
    private final RedlockCalls calls;
    private final Hints hints;
    private final Recovery recovery;
    private final Waiting waiting;
    private final AtomicLong attempts = new AtomicLong();
    private final LongAdder oneRound = new LongAdder();
    private final LongAdder twoRounds = new LongAdder();

    /** What became of a claim: one of the two. */
    private record Verdict(
            @Nullable AcquireOutcome outcome, @Nullable RuntimeException failure) {}

    RedlockClaims(Nodes nodes, RedlockCalls calls, Hints hints, Recovery recovery, Waiting waiting) {
        this.nodes = nodes;
        this.context = nodes.context();
        this.calls = calls;
        this.hints = hints;
        this.recovery = recovery;
        this.waiting = waiting;
    }

    AcquireOutcome acquire(Claim claim) {
        return outcomes(List.of(claim), context.clock().nanos()).get(0);
    }

    List<AcquireOutcome> poll(List<Claim> claims) {
        return outcomes(claims, context.clock().nanos());
    }

    void withdraw(Claim claim, boolean mayStillArrive) {
        waiting.leave(claim);
        Round round = nodes.askAll(node -> List.of(calls.withdraw(claim, mayStillArrive)));
        int done = 0;
        RuntimeException why = null;
        for (Node node : nodes.all()) {
            RuntimeException failure = round.isAnswered(node.index())
                    ? round.answers(node.index()).get(0).failure()
                    : round.failure(node.index());
            if (failure == null) {
                done++;
            } else {
                why = failure;
                node.tell(() -> calls.withdraw(claim, true), afterwards(claim));
            }
        }
        round.leave(node -> {});
        if (done < nodes.quorum() && why != null) {
            throw Faults.of("withdraw", claim.describe(), why);
        }
    }

    /** {@return a number that no attempt has had before; attempts that begin later have larger ones} */
    long latestAttempt() {
        return attempts.get();
    }

    /** {@return how many grants took one round so far} */
    long grantsInOneRound() {
        return oneRound.sum();
    }

    /** {@return how many grants took a second one} */
    long grantsInTwoRounds() {
        return twoRounds.sum();
    }

    private List<AcquireOutcome> outcomes(List<Claim> claims, long sentNanos) {
        for (Claim claim : claims) {
            if (claim.queue()) {
                waiting.enter(claim);
            }
        }
        Map<Claim, Verdict> verdicts = decide(claims);
        List<AcquireOutcome> outcomes = new ArrayList<>(claims.size());
        RuntimeException failure = null;
        for (Claim claim : claims) {
            Verdict verdict = verdicts.get(claim);
            AcquireOutcome outcome = verdict == null ? null : verdict.outcome;
            if (outcome == null) {
                failure = verdict == null ? null : verdict.failure;
            } else {
                if (!(outcome instanceof AcquireOutcome.Contended)) {
                    waiting.leave(claim);
                }
                outcomes.add(outcome);
            }
        }
        if (failure != null) {
            // A poll has no word for "this one was not answered": what was granted is told as a message.
            for (AcquireOutcome outcome : outcomes) {
                if (outcome instanceof AcquireOutcome.Granted granted) {
                    context.listener().granted(granted.grants(), sentNanos);
                }
            }
            throw failure;
        }
        return outcomes;
    }

    private Map<Claim, Verdict> decide(List<Claim> claims) {
        Map<Claim, Verdict> verdicts = new ConcurrentHashMap<>();
        List<Claim> open = claims;
        boolean attended = false;
        for (int tries = 1; !open.isEmpty(); tries++) {
            long begin = context.clock().nanos();
            List<Claim> again = new ArrayList<>();
            List<Attempt> toUndo = new ArrayList<>();
            boolean leads = false;
            try {
                Sitting sitting = ask(open);
                for (Attempt attempt : sitting.attempts) {
                    if (attempt.isSplit() && tries < MOST_TRIES) {
                        again.add(attempt.claim());
                        boolean keeps = attempt.leads() && tries % 3 != 0;
                        leads |= keeps;
                        if (!keeps) {
                            toUndo.add(attempt);
                        }
                    } else if (attempt.isOutrun() && tries < MOST_TRIES) {
                        // It keeps the nodes that it has: other readers are not in its way, only their numbers are.
                        again.add(attempt.claim());
                        leads = true;
                    } else if (isLackingEmptyNodes(attempt) && !attended) {
                        attended = true;
                        again.add(attempt.claim());
                        toUndo.add(attempt);
                        recovery.attend();
                    } else {
                        Verdict verdict = verdict(attempt, sitting.round);
                        verdicts.put(attempt.claim(), verdict);
                        if (!(verdict.outcome instanceof AcquireOutcome.Granted)) {
                            toUndo.add(attempt);
                        }
                    }
                }
                sitting.round.leave(node -> heardLate(sitting, verdicts, node));
                undo(toUndo, sitting.round);
            } catch (StoreUnavailableException busy) {
                open.forEach(claim -> verdicts.put(
                        claim, new Verdict(null, new StoreUnavailableException("acquire", claim.describe(), busy))));
                return verdicts;
            }
            open = again;
            if (!open.isEmpty()) {
                stepAside(leads, tries, context.clock().nanos() - begin);
            }
        }
        return verdicts;
    }

    /** Some attempts that were made together, and the round in which the nodes answered them. */
    private record Sitting(Round round, List<Attempt> attempts) {}

    private Sitting ask(List<Claim> claims) {
        long number = attempts.incrementAndGet();
        long sentNanos = context.clock().nanos();
        long hint = hints.next();
        List<Attempt> made = new ArrayList<>(claims.size());
        List<Supplier<Call>> questions = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            made.add(new Attempt(nodes, claim, number, sentNanos));
            questions.add(calls.acquire(claim, number, hint));
        }
        Round round = nodes.ask(
                node -> questions.size() == 1
                        ? List.of(questions.get(0).get())
                        : questions.stream().map(Supplier::get).toList(),
                answered -> {
                    count(answered, made);
                    return made.stream().allMatch(Attempt::isAgreed);
                },
                answered -> made.stream().allMatch(attempt -> attempt.isDecided(answered.pending())));
        count(round, made);
        writeBack(made);
        return new Sitting(round, made);
    }

    private void count(Round round, List<Attempt> made) {
        for (int node = 0; node < nodes.count(); node++) {
            List<Call> answers = round.answers(node);
            for (int i = 0; i < answers.size(); i++) {
                made.get(i).count(node, answers.get(i), hints);
            }
        }
    }

    /** The second round, where the nodes of a quorum did not all answer the same. */
    private void writeBack(List<Attempt> made) {
        List<Attempt> differing = new ArrayList<>();
        for (Attempt attempt : made) {
            if (attempt.hasQuorum() && !attempt.isAcknowledged()) {
                differing.add(attempt);
                twoRounds.increment();
            } else if (attempt.hasQuorum()) {
                oneRound.increment();
            }
        }
        for (int i = 0; i < MOST_RAISES && !differing.isEmpty(); i++) {
            differing.forEach(attempt -> attempt.raiseIfOutrun(context.random()));
            writeBackOnce(differing);
            differing.removeIf(attempt -> !attempt.isOutrun());
        }
    }

    private void writeBackOnce(List<Attempt> differing) {
        List<List<Attempt>> byNode = new ArrayList<>(nodes.count());
        for (int node = 0; node < nodes.count(); node++) {
            int at = node;
            byNode.add(differing.stream().filter(attempt -> attempt.differs(at)).toList());
        }
        Round round = nodes.askAll(node ->
                byNode.get(node).stream().map(attempt -> fence(attempt, node)).toList());
        for (int node = 0; node < nodes.count(); node++) {
            List<Attempt> asked = byNode.get(node);
            for (int i = 0; i < asked.size(); i++) {
                RuntimeException failure =
                        round.isAnswered(node) ? round.answers(node).get(i).failure() : round.failure(node);
                if (failure != null) {
                    asked.get(i).unconfirmed(failure);
                } else {
                    asked.get(i)
                            .fenced(
                                    node,
                                    Answers.number(round.answers(node).get(i).answer()));
                }
            }
        }
        round.leave(node -> {});
    }

    private Call fence(Attempt attempt, int node) {
        return calls.fence(
                attempt.name(), attempt.claim().owner(), attempt.answered(node), attempt.epoch(), attempt.number());
    }

    private Verdict verdict(Attempt attempt, Round round) {
        if (attempt.meetsEmptyNodes()) {
            recovery.notice();
        }
        if (attempt.isMismatched()) {
            return new Verdict(attempt.mismatch(), null);
        }
        if (attempt.isRefused() || attempt.isOutrun()) {
            Duration hint = attempt.isSplit() || attempt.isOutrun()
                    ? Duration.ofMillis(1L + context.random().nextInt(SPLIT_HINT_MILLIS))
                    : attempt.retryHint();
            return new Verdict(
                    new AcquireOutcome.Contended(hint.compareTo(LONGEST_HINT) < 0 ? hint : LONGEST_HINT), null);
        }
        if (attempt.hasQuorum()
                && attempt.isAcknowledged()
                && attempt.isStillValid(context.clock().nanos())) {
            tellTheEpoch(attempt);
            return new Verdict(new AcquireOutcome.Granted(List.of(attempt.grant())), null);
        }
        return new Verdict(null, attempt.shortfall(round));
    }

    /** Nodes beyond the quorum that answered another counter hold for the same owner, and should hold with its epoch. */
    private void tellTheEpoch(Attempt attempt) {
        for (Node node : nodes.all()) {
            if (attempt.differs(node.index())) {
                tellTheEpoch(attempt.grant(), node, attempt.answered(node.index()), attempt.number());
            }
        }
    }

    private void tellTheEpoch(Grant grant, Node node, long answered, long attempt) {
        if (answered > 0 && answered != grant.epoch()) {
            node.tell(() -> calls.tell(grant, answered, attempt), grant.lease());
        }
    }

    /** A node granted after the outcome was decided without it. */
    private void heardLate(Sitting sitting, Map<Claim, Verdict> verdicts, int node) {
        List<Call> late = sitting.round.calls(node);
        for (int i = 0; i < late.size(); i++) {
            Attempt attempt = sitting.attempts.get(i);
            Verdict verdict = verdicts.get(attempt.claim());
            if (verdict != null && verdict.outcome instanceof AcquireOutcome.Granted granted) {
                long answered = Attempt.counterIn(late.get(i));
                tellTheEpoch(granted.grants().get(0), nodes.all().get(node), answered, attempt.number());
            }
        }
    }

    /** Takes back what failed attempts got, at once where they got it, and in the background where that is not known. */
    private void undo(List<Attempt> failed, Round round) {
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
        Round undone = nodes.askAll(node -> byNode.get(node).stream()
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

    private boolean isLackingEmptyNodes(Attempt attempt) {
        return attempt.meetsEmptyNodes() && !attempt.hasQuorum() && !attempt.isRefused();
    }

    /** A request that is still on its way may take effect later, and holds for the lease then. */
    private static Duration afterwards(Claim claim) {
        return claim.lease().plusMinutes(1);
    }

    private void stepAside(boolean leads, int tries, long roundNanos) {
        long longest = Math.max(SHORTEST_STEP_ASIDE_NANOS, roundNanos);
        if (!leads) {
            longest = Math.min(LONGEST_STEP_ASIDE_NANOS, longest << Math.min(tries, MOST_DOUBLINGS));
        }
        LockSupport.parkNanos(this, longest / 2 + context.random().nextLong(longest / 2 + 1));
    }
}
