package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.ServerRefusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One question to all nodes. The asking thread sends to all of them and then reads the answers itself, as they come, whoever
 * is slow: with five nodes that is five writes, three reads and no other thread. Once a quorum has granted, nobody waits any
 * more: the other answers are read by whoever uses those connections next, or by the sweep. Used by one thread.
 *
 * <pre>
 *   NOT_ASKED ── PENDING ──┬── ANSWERED
 *       │                  ├── UNANSWERED   it may have heard the question
 *       └── NOT_SENT ──────┘                it has certainly not
 * </pre>
 */
final class QuorumRound {
    /** A node that is so many answers behind on a connection is asked on another one. */
    private static final int MOST_OWED = 4;

    /** A program may have to ask somebody who logs in; a timeout of nodes is chosen for nodes. */
    private static final long LEAST_TO_TELL_NANOS = 250_000_000;

    /** Who is left out, if there are enough others. */
    enum Avoiding {
        /** Nobody. */
        NOBODY,
        /** Those that did not answer lately. */
        SUSPECTS,
        /** Those, and those that do not keep up. */
        LAGGARDS
    }

    private enum State {
        NOT_ASKED,
        PENDING,
        ANSWERED,
        NOT_SENT,
        UNANSWERED
    }

    private final Nodes nodes;

    /** Those first that usually answer first. */
    private final Node[] order;

    private final long sentNanos;

    /** When the call that the round belongs to must be over. */
    private final long untilNanos;

    /** How long a node may take that is connected. */
    private final long patienceNanos;

    private final List<List<Call>> calls;
    private final State[] states;
    private final @Nullable NodeConnection[] connections;
    private final @Nullable RuntimeException[] failures;

    /** By node: whether it may have heard the question on a connection that broke. */
    private final boolean[] heard;

    /** By node: whether it had to be connected to, which takes time of its own. */
    private final boolean[] dialled;

    /** By when the addresses of nodes have to be found to which there is no connection yet. */
    private final Deadline addressesFound;

    /** By when the program has to tell how to connect to those, if it has to tell anything. */
    private final Deadline toldBy;

    private boolean interrupted;

    QuorumRound(Nodes nodes, IntFunction<List<Call>> question, long untilNanos, long patienceNanos) {
        this.nodes = nodes;
        this.order = nodes.quickestFirst();
        this.sentNanos = nodes.context().clock().nanos();
        this.untilNanos = untilNanos;
        this.patienceNanos = patienceNanos;
        this.addressesFound = within(nodes.nodeTimeoutNanos());
        this.toldBy = within(Math.max(nodes.nodeTimeoutNanos(), LEAST_TO_TELL_NANOS));
        this.calls = new ArrayList<>(nodes.count());
        for (int i = 0; i < nodes.count(); i++) {
            calls.add(question.apply(i));
        }
        this.states = new State[nodes.count()];
        Arrays.fill(states, State.NOT_ASKED);
        this.connections = new NodeConnection[nodes.count()];
        this.failures = new RuntimeException[nodes.count()];
        this.heard = new boolean[nodes.count()];
        this.dialled = new boolean[nodes.count()];
    }

    private Deadline within(long nanos) {
        return Deadline.in(nodes.context().clock(), Duration.ofNanos(Math.min(nanos, untilNanos - sentNanos)));
    }

    /** {@return the answered calls to a node; empty if it has not answered} */
    List<Call> answers(int node) {
        return states[node] == State.ANSWERED ? calls.get(node) : List.of();
    }

    boolean isAnswered(int node) {
        return states[node] == State.ANSWERED;
    }

    /** {@return whether a node may have heard the question, or may still hear it, without having answered} */
    boolean isUnknown(int node) {
        return states[node] == State.PENDING || states[node] == State.UNANSWERED;
    }

    /** {@return whether a node may still answer} */
    boolean isPending(int node) {
        return states[node] == State.PENDING;
    }

    /** {@return how many may still answer while somebody waits} */
    int pending() {
        int count = 0;
        for (State state : states) {
            count += state == State.PENDING ? 1 : 0;
        }
        return count;
    }

    int answered() {
        int count = 0;
        for (State state : states) {
            count += state == State.ANSWERED ? 1 : 0;
        }
        return count;
    }

    /** {@return why a node has not answered, for a message; null if it has} */
    @Nullable
    RuntimeException failure(int node) {
        return states[node] == State.PENDING
                ? new IllegalStateException(nodes.all().get(node).where() + " has not answered yet")
                : failures[node];
    }

    /** {@return whether the thread was interrupted while it waited; that has been cleared} */
    boolean wasInterrupted() {
        return interrupted;
    }

    /** Asks everybody who is worth asking, and everybody if those are too few. */
    void send(Avoiding avoiding) {
        int trusted = 0;
        for (Node node : nodes.all()) {
            trusted += calls.get(node.index()).isEmpty() || isAvoided(node, avoiding) ? 0 : 1;
        }
        List<Node> asked = new ArrayList<>(nodes.count());
        for (Node node : order) {
            if (calls.get(node.index()).isEmpty()) {
                continue;
            }
            if (trusted >= nodes.quorum() && isAvoided(node, avoiding)) {
                failed(node, node.suspicion());
            } else {
                asked.add(node);
            }
        }
        // All at the same time: whoever has to wait for name servers waits for them together.
        asked.forEach(node -> node.lookUp(toldBy));
        asked.forEach(this::send);
    }

    private static boolean isAvoided(Node node, Avoiding avoiding) {
        return (avoiding != Avoiding.NOBODY && node.isSuspected())
                || (avoiding == Avoiding.LAGGARDS && node.isBehind());
    }

    private void send(Node node) {
        NodeConnection connection = null;
        try {
            connection = node.borrow(addressesFound, toldBy);
            connections[node.index()] = connection;
            states[node.index()] = State.PENDING;
            dialled[node.index()] |= !connection.mayHaveArrived();
            connection.send(calls.get(node.index()));
        } catch (BrokenExchange broken) {
            broke(node, connection, broken);
        } catch (ServerRefusal refused) {
            refused(node, connection, refused);
        }
    }

    /**
     * Reads answers as they come, until the time of every node that is waited for is over.
     *
     * @param enough whether nothing more is of interest
     * @param decided whether it is not worth waiting for slow nodes any more
     */
    void gather(Predicate<QuorumRound> enough, Predicate<QuorumRound> decided) {
        AnswerWatch watch = null;
        long leaveNanos = Long.MAX_VALUE;
        try {
            readAny();
            while (!enough.test(this) && pending() > 0) {
                long elapsed = now() - sentNanos;
                if (leaveNanos == Long.MAX_VALUE && decided.test(this)) {
                    leaveNanos = Math.max(Node.QUICK_NANOS, 2 * elapsed);
                }
                giveUpOverdue(elapsed);
                long left = Math.min(leaveNanos, longestPatience()) - elapsed;
                if (left <= 0 || (leaveNanos != Long.MAX_VALUE && !isAnyQuick(elapsed))) {
                    return;
                }
                if (!isAnswerNear()) {
                    watch = watch == null ? nodes.watch() : watch;
                    await(watch, left);
                }
            }
        } finally {
            if (watch != null) {
                watch.close();
            }
        }
    }

    private boolean isAnyQuick(long elapsed) {
        for (Node node : order) {
            if (states[node.index()] == State.PENDING && node.isQuick(elapsed)) {
                return true;
            }
        }
        return false;
    }

    /** How long after it was sent the last pending node has to answer, as far as the whole call has time. */
    private long longestPatience() {
        long longest = 0;
        for (int node = 0; node < states.length; node++) {
            longest = states[node] == State.PENDING ? Math.max(longest, patience(node)) : longest;
        }
        return Math.min(longest, untilNanos - sentNanos);
    }

    private long patience(int node) {
        return patienceNanos + (dialled[node] ? nodes.connectTimeoutNanos() : 0);
    }

    private void giveUpOverdue(long elapsed) {
        for (Node node : order) {
            NodeConnection connection = connections[node.index()];
            if (states[node.index()] == State.PENDING && connection != null && elapsed >= patience(node.index())) {
                node.timedOut(connection, elapsed);
                heard[node.index()] |= connection.mayHaveArrived();
                failed(
                        node,
                        BrokenExchange.afterSending(
                                node.where() + " did not answer in time",
                                false,
                                new TimeoutException(Duration.ofNanos(elapsed).toMillis() + " ms")));
            }
        }
    }

    /** Stays awake for a moment where answers are usually near. */
    private boolean isAnswerNear() {
        boolean[] came = {false};
        nodes.nearAnswer().await(() -> {
            came[0] |= readAny();
            return came[0];
        });
        return came[0];
    }

    private void await(AnswerWatch watch, long nanos) {
        for (Node node : order) {
            NodeConnection connection = connections[node.index()];
            if (states[node.index()] == State.PENDING && connection != null) {
                try {
                    watch.add(connection);
                } catch (BrokenExchange broken) {
                    broke(node, connection, broken);
                    return;
                }
            }
        }
        watch.await(Duration.ofNanos(nanos));
        interrupted |= Thread.interrupted();
        readAny();
    }

    /** Reads whatever has come; tells whether anything is known that was not before. */
    private boolean readAny() {
        boolean any = false;
        for (Node node : order) {
            NodeConnection connection = connections[node.index()];
            if (states[node.index()] == State.PENDING && connection != null) {
                any |= read(node, connection);
            }
        }
        return any;
    }

    private boolean read(Node node, NodeConnection connection) {
        try {
            connection.advance();
            if (connection.owed() > 0) {
                return false;
            }
            node.answered(now() - sentNanos);
            node.giveBack(connection);
            states[node.index()] = State.ANSWERED;
        } catch (BrokenExchange broken) {
            broke(node, connection, broken);
        } catch (RuntimeException refused) {
            refused(node, connection, refused);
        }
        return true;
    }

    /** A connection that was closed while it was idle is replaced, once. */
    private void broke(Node node, @Nullable NodeConnection connection, BrokenExchange broken) {
        int index = node.index();
        boolean again = false;
        if (connection != null) {
            heard[index] |= connection.mayHaveArrived();
            again = connection.isStale() && calls.get(index).stream().allMatch(Call::mayBeRepeated);
            node.discard(connection);
        }
        if (again && now() - sentNanos < nodes.nodeTimeoutNanos()) {
            calls.get(index).forEach(Call::repeat);
            node.forgetIdle();
            send(node);
            return;
        }
        failed(node, broken);
        node.suspect(now() - sentNanos);
    }

    private void refused(Node node, @Nullable NodeConnection connection, RuntimeException why) {
        if (connection != null) {
            heard[node.index()] |= connection.mayHaveArrived();
            node.discard(connection);
        }
        failed(node, why);
    }

    /**
     * Leaves answers that nobody waits for to be read later.
     *
     * @param late is told the node of each one that has come, or will not come
     */
    void leave(IntConsumer late) {
        long elapsed = now() - sentNanos;
        for (Node node : order) {
            NodeConnection connection = connections[node.index()];
            if (states[node.index()] == State.PENDING && connection != null) {
                connections[node.index()] = null;
                connection.owe(() -> late.accept(node.index()), sentNanos);
                node.waitedInVain(elapsed);
                node.leave(connection, connection.owed() >= MOST_OWED);
                nodes.sweepSoon();
            }
        }
    }

    /** {@return the calls to a node, whose answers may have come late} */
    List<Call> calls(int node) {
        return calls.get(node);
    }

    private void failed(Node node, RuntimeException why) {
        states[node.index()] = heard[node.index()] ? State.UNANSWERED : State.NOT_SENT;
        failures[node.index()] = why;
    }

    private long now() {
        return nodes.context().clock().nanos();
    }
}
