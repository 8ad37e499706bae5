package dev.holdfast.redis.redlock;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
    private static final int MOST_TRIES = 10;
    private static final int MOST_UNCERTAIN_TRIES = 4;
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
    private final ReachedNodes reached;
    private final AtomicLong attempts = new AtomicLong();
    private final WriteBack writeBack;
    private final AttemptUndo undoing;

    /** What became of a claim: one of the two. */
    private record Verdict(
            @Nullable AcquireOutcome outcome, @Nullable RuntimeException failure) {}

    RedlockClaims(
            Nodes nodes, RedlockCalls calls, Hints hints, Recovery recovery, Waiting waiting, ReachedNodes reached) {
        this.reached = reached;
        this.nodes = nodes;
        this.context = nodes.context();
        this.calls = calls;
        this.hints = hints;
        this.recovery = recovery;
        this.waiting = waiting;
        this.writeBack = new WriteBack(nodes, calls);
        this.undoing = new AttemptUndo(nodes, calls);
    }

    AcquireOutcome acquire(Claim claim) {
        return outcomes(List.of(claim)).get(0);
    }

    List<AcquireOutcome> poll(List<Claim> claims) {
        return outcomes(claims);
    }

    void withdraw(Claim claim, boolean mayStillArrive) {
        waiting.leave(claim);
        QuorumRound round = nodes.askAll(node -> List.of(calls.withdraw(claim, mayStillArrive)), nodes.deadline());
        round.leave(node -> {});
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
                node.tell(
                        new DeferredCalls.Key(
                                DeferredCalls.Topic.UNDO, claim.parts().get(0).name(), claim.owner()),
                        RedlockCalls.ALL_ATTEMPTS,
                        () -> calls.withdraw(claim, true),
                        claim.lease());
            }
        }
        if (done < nodes.quorum() && why != null) {
            throw Faults.of("withdraw", claim.describe(), why);
        }
    }

    /** {@return a number that no attempt has had before; attempts that begin later have larger ones} */
    long latestAttempt() {
        return attempts.get();
    }

    /** {@return the second round, for those who count how often it was needed} */
    WriteBack writeBack() {
        return writeBack;
    }

    /** What nobody knows of one claim is no reason not to tell what is known of the others. */
    private List<AcquireOutcome> outcomes(List<Claim> claims) {
        for (Claim claim : claims) {
            if (claim.queue()) {
                waiting.enter(claim);
            }
        }
        Map<Claim, Verdict> verdicts = decide(claims, nodes.deadline());
        List<AcquireOutcome> outcomes = new ArrayList<>(claims.size());
        RuntimeException failure = null;
        boolean any = false;
        for (Claim claim : claims) {
            Verdict verdict = Objects.requireNonNull(verdicts.get(claim), "every claim has a verdict");
            AcquireOutcome outcome = verdict.outcome;
            RuntimeException why = verdict.failure;
            if (outcome == null && why != null) {
                failure = why;
                outcomes.add(new AcquireOutcome.Unknown(why));
            } else if (outcome != null) {
                any = true;
                outcomes.add(outcome);
                if (!(outcome instanceof AcquireOutcome.Contended)) {
                    waiting.leave(claim);
                }
            }
        }
        if (failure != null && !any) {
            throw failure;
        }
        return outcomes;
    }

    private Map<Claim, Verdict> decide(List<Claim> claims, long untilNanos) {
        Map<Claim, Verdict> verdicts = new ConcurrentHashMap<>();
        Map<Claim, Long> kept = new HashMap<>();
        List<Claim> open = claims;
        boolean attended = false;
        for (int tries = 1; !open.isEmpty(); tries++) {
            long begin = context.clock().nanos();
            List<Claim> again = new ArrayList<>();
            List<Attempt> toUndo = new ArrayList<>();
            boolean leads = false;
            Sitting sitting;
            try {
                sitting = ask(open, kept, untilNanos);
            } catch (StoreUnavailableException busy) {
                open.forEach(claim -> verdicts.put(
                        claim, new Verdict(null, new StoreUnavailableException("acquire", claim.describe(), busy))));
                return verdicts;
            }
            kept.clear();
            long end = context.clock().nanos();
            // The next round will take about as long; one that cannot end in time would only forget what this one has
            // found out.
            long spareNanos = untilNanos - end - (end - begin);
            boolean last = tries >= MOST_TRIES || spareNanos <= 0;
            for (Attempt attempt : sitting.attempts) {
                attempt.noteReached(sitting.round);
                if (!last && isWorthAnotherTry(attempt, tries)) {
                    again.add(attempt.claim());
                    // Readers who were outrun keep their nodes: others are not in their way, only their numbers are.
                    boolean keeps = attempt.isOutrun() || (attempt.leads() && tries % 3 != 0);
                    leads |= keeps;
                    if (keeps) {
                        kept.put(attempt.claim(), attempt.reached());
                    } else {
                        toUndo.add(attempt);
                    }
                } else if (isLackingEmptyNodes(attempt) && !attended) {
                    attended = true;
                    again.add(attempt.claim());
                    toUndo.add(attempt);
                    recovery.attend(untilNanos);
                } else {
                    Verdict verdict = verdict(attempt, sitting.round);
                    verdicts.put(attempt.claim(), verdict);
                    if (verdict.outcome instanceof AcquireOutcome.Granted) {
                        reached.note(attempt.claim().owner(), attempt.reached(), nodes.count());
                    } else {
                        toUndo.add(attempt);
                    }
                }
            }
            sitting.round.leave(node -> heardLate(sitting, verdicts, node));
            undoing.undo(toUndo, sitting.round, untilNanos);
            open = again;
            if (!open.isEmpty()) {
                stepAside(leads, tries, end - begin, spareNanos);
            }
        }
        return verdicts;
    }

    /** Where somebody may have the name with the help of silent nodes, that is assumed before long. */
    private static boolean isWorthAnotherTry(Attempt attempt, int tries) {
        return attempt.isOutrun()
                || (attempt.isSplit() && (tries < MOST_UNCERTAIN_TRIES || attempt.isCertainlySplit()));
    }

    /** Some attempts that were made together, and the round in which the nodes answered them. */
    private record Sitting(QuorumRound round, List<Attempt> attempts) {}

    private Sitting ask(List<Claim> claims, Map<Claim, Long> kept, long untilNanos) {
        long number = attempts.incrementAndGet();
        long sentNanos = context.clock().nanos();
        long hint = hints.next();
        List<Attempt> made = new ArrayList<>(claims.size());
        List<Supplier<Call>> questions = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            made.add(new Attempt(nodes, claim, number, sentNanos, kept.getOrDefault(claim, 0L)));
            questions.add(calls.acquire(claim, number, hint));
        }
        QuorumRound round = nodes.ask(
                node -> questions.size() == 1
                        ? List.of(questions.get(0).get())
                        : questions.stream().map(Supplier::get).toList(),
                answered -> {
                    count(answered, made);
                    return made.stream().allMatch(Attempt::isAgreed);
                },
                answered -> made.stream().allMatch(attempt -> attempt.isDecided(answered.pending())),
                untilNanos);
        count(round, made);
        writeBack.confirm(made, untilNanos);
        return new Sitting(round, made);
    }

    private void count(QuorumRound round, List<Attempt> made) {
        for (int node = 0; node < nodes.count(); node++) {
            List<Call> answers = round.answers(node);
            for (int i = 0; i < answers.size(); i++) {
                made.get(i).count(node, answers.get(i), hints);
            }
        }
    }

    private Verdict verdict(Attempt attempt, QuorumRound round) {
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
            writeBack.tellTheRest(attempt);
            return new Verdict(new AcquireOutcome.Granted(List.of(attempt.grant())), null);
        }
        return new Verdict(null, attempt.shortfall(round, recovery));
    }

    /** A node granted after the outcome was decided without it. */
    private void heardLate(Sitting sitting, Map<Claim, Verdict> verdicts, int node) {
        List<Call> late = sitting.round.calls(node);
        for (int i = 0; i < late.size(); i++) {
            Attempt attempt = sitting.attempts.get(i);
            Verdict verdict = verdicts.get(attempt.claim());
            if (verdict != null && verdict.outcome instanceof AcquireOutcome.Granted granted) {
                long answered = Attempt.counterIn(late.get(i));
                writeBack.tell(granted.grants().get(0), nodes.all().get(node), answered, attempt.number());
            }
        }
    }

    private boolean isLackingEmptyNodes(Attempt attempt) {
        return attempt.meetsEmptyNodes() && !attempt.hasQuorum() && !attempt.isRefused();
    }

    private void stepAside(boolean leads, int tries, long roundNanos, long mostNanos) {
        long longest = Math.max(SHORTEST_STEP_ASIDE_NANOS, roundNanos);
        if (!leads) {
            longest = Math.min(LONGEST_STEP_ASIDE_NANOS, longest << Math.min(tries, MOST_DOUBLINGS));
        }
        LockSupport.parkNanos(
                this, Math.min(mostNanos, longest / 2 + context.random().nextLong(longest / 2 + 1)));
    }
}
