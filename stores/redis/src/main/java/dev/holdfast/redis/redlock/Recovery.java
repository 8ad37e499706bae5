package dev.holdfast.redis.redlock;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.ClientId;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Brings nodes that have lost their memory back to vote, by the rule of {@code docs/models/FencedRedlock.tla}: such a node
 * first waits out the longest lease, so that whatever it granted before has been used or never will be; only then does it
 * take the largest floor of so many others that one of them was in every quorum; only then does it vote. Copying before
 * waiting would repeat tokens.
 *
 * <p>The node counts its waiting itself, as long as somebody looks at it now and then. Whoever notices an empty node does
 * that, in the background, until the node votes.
 *
 * <p>Where fewer others vote than that, the order of epochs rests on the nodes' clocks, as it does on a single Redis: all
 * nodes must be there, every empty one must have waited or must certainly have been empty for as long, and the new floor is
 * the largest floor or clock of all. That is also how a new set of nodes begins. Thread-safe.
 */
final class Recovery {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final int LOOKS_PER_WAIT = 10;
    private static final int STEPS_PER_PAUSE = 2;
    private static final int NODE_TIMEOUTS_OF_PATIENCE = 10;
    private static final int DRIFT_DIVISOR = 100;
    private static final int VOTING = 1;
    private static final int EMPTY = 0;

    private final Nodes nodes;
    private final StoreContext context;
    private final RedlockCalls calls;
    private final RedlockSettings settings;
    private final Copying copying;
    private final AtomicBoolean watching = new AtomicBoolean();
    private final ReentrantLock attending = new ReentrantLock();
    /** Some node has voted: whatever was said of new nodes does not count any more. */
    private volatile boolean everVoted;

    /** Nodes that were empty when they last said anything: a silent one is still to be seen to. */
    private final Set<Integer> seenEmpty = ConcurrentHashMap.newKeySet();

    /** How long empty nodes had still to wait when they were looked at last. */
    private volatile Duration stillToWait = Duration.ZERO;

    private volatile boolean closed;

    /** What a node says of itself. */
    record Look(
            boolean voting,
            long clockMicros,
            long floor,
            long maxLeaseMillis,
            long waitedMillis,
            byte[] mark,
            long aliveMillis) {}

    /** Which look at the others the floor of an empty node is taken from. */
    @FunctionalInterface
    interface Copying {
        /** The protocol's own way. */
        Copying AFTER_WAITING = (node, looks) -> looks;

        /**
         * Chooses what to copy from.
         *
         * @param node the empty node that has waited
         * @param afterWaiting looks at all nodes since then
         */
        List<@Nullable Look> from(int node, List<@Nullable Look> afterWaiting);
    }

    Recovery(Nodes nodes, RedlockCalls calls, RedlockSettings settings, Copying copying) {
        this.nodes = nodes;
        this.context = nodes.context();
        this.calls = calls;
        this.settings = settings;
        this.copying = copying;
    }

    /** Some node is empty: sees to it in the background until none is. */
    void notice() {
        if (watching.compareAndSet(false, true)) {
            later();
        }
    }

    void close() {
        closed = true;
    }

    /** The same as {@link #attend(long)}, within the time that one call may take. */
    boolean attend() {
        return attend(nodes.deadline());
    }

    /**
     * Looks at all nodes once, and lets vote whoever may.
     *
     * @param untilNanos by when it must be over
     * @return whether a node votes that did not before
     */
    boolean attend(long untilNanos) {
        if (!begin(untilNanos)) {
            return false;
        }
        try {
            List<@Nullable Look> first = look(untilNanos);
            if (!hasEmpty(first)) {
                return false;
            }
            if (first.contains(null) && voting(first) < nodes.blocking()) {
                // All have to be there, so those that are slow are given more time than a round has.
                first = look(patiently(untilNanos), true);
            }
            notice();
            // What is copied must be read after the wait was seen to be over.
            return ready(first).isEmpty() ? false : letVote(first, look(untilNanos), untilNanos);
        } finally {
            attending.unlock();
        }
    }

    /** Waits until nobody else does it; an interrupt is left for later. */
    private boolean begin(long untilNanos) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return attending.tryLock(untilNanos - context.clock().nanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@return what each node says of itself; null for a node that does not answer} */
    List<@Nullable Look> look() {
        return look(nodes.deadline());
    }

    private List<@Nullable Look> look(long untilNanos) {
        return look(untilNanos, false);
    }

    private long patiently(long untilNanos) {
        long enough = context.clock().nanos() + NODE_TIMEOUTS_OF_PATIENCE * nodes.nodeTimeoutNanos();
        return Math.min(untilNanos, enough);
    }

    private List<@Nullable Look> look(long untilNanos, boolean patiently) {
        String mark = ClientId.mint();
        IntFunction<List<Call>> question = node -> List.of(calls.look(mark, pause().multipliedBy(STEPS_PER_PAUSE)));
        QuorumRound round =
                patiently ? nodes.askPatiently(question, all -> false, untilNanos) : nodes.askAll(question, untilNanos);
        round.leave(node -> {});
        List<@Nullable Look> looks = new ArrayList<>();
        for (int node = 0; node < nodes.count(); node++) {
            List<Call> answers = round.answers(node);
            Look look = answers.isEmpty() ? null : read(answers.get(0));
            looks.add(look);
            if (look != null && look.voting) {
                seenEmpty.remove(node);
            } else if (look != null) {
                seenEmpty.add(node);
            }
        }
        if (voting(looks) > 0) {
            everVoted = true;
        }
        stillToWait = longestWait(looks);
        return looks;
    }

    private static @Nullable Look read(Call call) {
        RuntimeException failure = call.failure();
        if (failure != null) {
            if (Faults.of("look", "nodes", failure) instanceof StoreMisconfiguredException misconfigured) {
                throw misconfigured;
            }
            return null;
        }
        List<?> fields = Answers.list(call.answer());
        long state = Answers.number(fields.get(0));
        if (state == VOTING) {
            return new Look(
                    true,
                    Answers.number(fields.get(1)),
                    Answers.number(fields.get(2)),
                    Answers.number(fields.get(3)),
                    0,
                    new byte[0],
                    0);
        }
        if (state == EMPTY) {
            return new Look(
                    false,
                    Answers.number(fields.get(1)),
                    0,
                    0,
                    Answers.number(fields.get(2)),
                    Answers.bytes(fields.get(3)),
                    Answers.number(fields.get(4)));
        }
        throw new StoreMisconfiguredException("a node was written in format '" + Answers.text(fields.get(1))
                + "' by a newer release of Holdfast; use that release here too");
    }

    /** The empty nodes that may vote as far as their own waiting goes. */
    private List<Integer> ready(List<@Nullable Look> looks) {
        List<Integer> ready = new ArrayList<>();
        boolean founding = voting(looks) < nodes.blocking();
        boolean untouched = settings.fresh() && !everVoted;
        for (int node = 0; node < looks.size(); node++) {
            Look look = looks.get(node);
            boolean known = look != null && !look.voting;
            if (known && (hasWaited(look, looks) || (founding && (untouched || hasBeenEmpty(look, looks))))) {
                ready.add(node);
            }
        }
        return ready;
    }

    private boolean letVote(List<@Nullable Look> before, List<@Nullable Look> after, long untilNanos) {
        List<Integer> ready = ready(before);
        boolean founding = voting(after) < nodes.blocking();
        boolean wasFounding = voting(before) < nodes.blocking();
        // Who may vote was judged by the one rule or the other; if that has changed meanwhile, it is judged anew.
        if (founding != wasFounding || (founding && ready.size() + voting(after) < nodes.count())) {
            return false;
        }
        boolean any = false;
        for (int node : ready) {
            Look look = before.get(node);
            if (look != null) {
                long floor = founding ? largestOfAll(after) : largestFloor(copying.from(node, after));
                Call vote = calls.vote(look.mark, floor, longestLease(after).toMillis());
                int asked = node;
                QuorumRound round = nodes.askAll(at -> at == asked ? List.of(vote) : List.of(), untilNanos);
                any |= round.isAnswered(node) && vote.failure() == null && Answers.number(vote.answer()) == VOTING;
                round.leave(at -> {});
            }
        }
        if (any) {
            everVoted = true;
        }
        return any;
    }

    private Duration longestWait(List<@Nullable Look> looks) {
        long longest = 0;
        for (Look look : looks) {
            if (look != null && !look.voting) {
                longest = Math.max(longest, withDrift(longestLease(looks)).toMillis() - look.waitedMillis);
            }
        }
        return Duration.ofMillis(longest);
    }

    /** {@return in words, what nodes that do not vote wait for and how long that may still take} */
    String outlook() {
        long seconds = Math.max(1, stillToWait.plus(pause()).plusMillis(999).toSeconds());
        return "such nodes begin to vote when the longest lease ('" + RedlockSettings.MAX_LEASE + "', "
                + settings.maxLease().toSeconds() + " s) has passed, in about " + seconds
                + " s if all of them are there; in a new deployment, whose nodes have never been used, the option '"
                + RedlockSettings.FRESH + "=true' lets them vote at once";
    }

    private boolean hasWaited(Look look, List<@Nullable Look> looks) {
        return look.waitedMillis > withDrift(longestLease(looks)).toMillis();
    }

    /** A process that runs for longer than any lease, and in which nothing was deleted, has granted nothing lately. */
    private boolean hasBeenEmpty(Look look, List<@Nullable Look> looks) {
        return look.aliveMillis > withDrift(longestLease(looks)).toMillis();
    }

    private Duration longestLease(List<@Nullable Look> looks) {
        long longest = settings.maxLease().toMillis();
        for (Look look : looks) {
            longest = look == null ? longest : Math.max(longest, look.maxLeaseMillis);
        }
        return Duration.ofMillis(longest);
    }

    private static Duration withDrift(Duration lease) {
        return lease.plus(lease.dividedBy(DRIFT_DIVISOR));
    }

    private static long largestFloor(List<@Nullable Look> looks) {
        long largest = 0;
        for (Look look : looks) {
            largest = look == null ? largest : Math.max(largest, look.floor);
        }
        return largest;
    }

    private static long largestOfAll(List<@Nullable Look> looks) {
        long largest = largestFloor(looks);
        for (Look look : looks) {
            largest = look == null ? largest : Math.max(largest, look.clockMicros);
        }
        return largest;
    }

    private static int voting(List<@Nullable Look> looks) {
        int count = 0;
        for (Look look : looks) {
            count += look != null && look.voting ? 1 : 0;
        }
        return count;
    }

    private static boolean hasEmpty(List<@Nullable Look> looks) {
        for (Look look : looks) {
            if (look != null && !look.voting) {
                return true;
            }
        }
        return false;
    }

    /** Short enough that a node's waiting is counted closely. */
    private Duration pause() {
        Duration part = settings.maxLease().dividedBy(LOOKS_PER_WAIT);
        return part.compareTo(LONGEST_PAUSE) < 0 ? part : LONGEST_PAUSE;
    }

    private void later() {
        try {
            context.scheduler().schedule(pause(), this::watch);
        } catch (RejectedExecutionException closing) {
            watching.set(false);
        }
    }

    private void watch() {
        boolean goOn = true;
        try {
            if (!closed) {
                attend();
                goOn = !seenEmpty.isEmpty();
            }
        } catch (RuntimeException unanswered) {
            goOn = true;
        }
        if (goOn && !closed) {
            later();
        } else {
            watching.set(false);
        }
    }
}
