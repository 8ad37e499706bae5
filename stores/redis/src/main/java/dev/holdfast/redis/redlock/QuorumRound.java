package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.NodeConnection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One question to all nodes. The asking thread sends to all of them and then reads the answers itself, as they come: with
 * five nodes that is five writes, three reads and no other thread. Once a quorum has granted, nobody waits any more: the
 * other answers are read by whoever uses those connections next, or in the background from nodes that have been slow
 * lately. Used by one thread.
 */
final class QuorumRound {
    private static final int MOST_STRAGGLERS = 256;

    /** A node that is so many answers behind is slow, and its answers are read in the background. */
    private static final int MOST_OWED = 4;

    /** Earlier answers, its own, and its own once more after a script was sent in full or a connection replaced. */
    private static final int MOST_READS_OF_A_NODE = MOST_OWED + 4;

    /** What came of asking a node. */
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
    private final List<List<Call>> calls;
    private final State[] states;
    private final @Nullable NodeConnection[] wires;
    private final @Nullable RuntimeException[] failures;

    /** Whose answer has come, as was seen last. */
    private @Nullable Node ready;

    QuorumRound(Nodes nodes, IntFunction<List<Call>> question) {
        this.nodes = nodes;
        this.order = nodes.quickestFirst();
        this.sentNanos = nodes.context().clock().nanos();
        this.calls = new ArrayList<>(nodes.count());
        for (int i = 0; i < nodes.count(); i++) {
            calls.add(question.apply(i));
        }
        this.states = new State[nodes.count()];
        Arrays.fill(states, State.NOT_ASKED);
        this.wires = new NodeConnection[nodes.count()];
        this.failures = new RuntimeException[nodes.count()];
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

    /** {@return why a node has not answered, for a message; null if it has} */
    @Nullable
    RuntimeException failure(int node) {
        return states[node] == State.PENDING
                ? new IllegalStateException(nodes.all().get(node).where() + " has not answered yet")
                : failures[node];
    }

    void send() {
        int trusted = 0;
        for (Node node : nodes.all()) {
            trusted += node.isSuspected() || calls.get(node.index()).isEmpty() ? 0 : 1;
        }
        for (Node node : order) {
            if (calls.get(node.index()).isEmpty()) {
                continue;
            }
            if (node.isSuspected() && trusted >= nodes.quorum()) {
                failed(node, State.NOT_SENT, node.suspicion());
            } else {
                send(node, true);
            }
        }
    }

    private void send(Node node, boolean mayTryAgain) {
        NodeConnection wire = null;
        try {
            wire = node.borrow(nodes.nodeTimeoutNanos());
            wire.send(calls.get(node.index()));
            wires[node.index()] = wire;
            states[node.index()] = State.PENDING;
        } catch (BrokenExchange broken) {
            if (wire != null) {
                node.discard(wire);
            }
            if (wire != null && mayTryAgain && broken.wasStale()) {
                node.forgetIdle();
                send(node, false);
                return;
            }
            failed(node, wire == null ? State.NOT_SENT : State.UNANSWERED, broken);
            node.suspect(0);
        } catch (JedisException refused) {
            failed(node, State.NOT_SENT, refused);
        }
    }

    /**
     * Reads answers as they come.
     *
     * @param enough whether nothing more is of interest
     * @param decided whether it is not worth waiting for slow nodes any more
     */
    void gather(Predicate<QuorumRound> enough, Predicate<QuorumRound> decided) {
        int most = MOST_READS_OF_A_NODE * nodes.count();
        for (int reads = 0; reads < most && !enough.test(this); reads++) {
            Node next = next(decided.test(this));
            if (next == null) {
                return;
            }
            read(next);
        }
    }

    /** Whose answer is there, else whose answer is to be waited for; null if there is none worth waiting for. */
    private @Nullable Node next(boolean onlyQuick) {
        long elapsed = now() - sentNanos;
        Node first = null;
        for (Node node : order) {
            if (states[node.index()] == State.PENDING && (!onlyQuick || node.isQuick(elapsed))) {
                first = first == null ? node : first;
            }
        }
        if (first == null) {
            return null;
        }
        ready = null;
        nodes.nearAnswer().await(this::isAnyReady);
        return ready == null ? first : ready;
    }

    private boolean isAnyReady() {
        for (Node node : order) {
            NodeConnection wire = wires[node.index()];
            if (states[node.index()] == State.PENDING && wire != null && wire.isReady()) {
                ready = node;
                return true;
            }
        }
        return false;
    }

    private void read(Node node) {
        NodeConnection wire = wires[node.index()];
        if (wire == null) {
            return;
        }
        boolean stale = wire.isStale();
        try {
            // Past the timeout there may still be an answer that came while this thread was not running.
            wire.readReady(sentNanos + nodes.nodeTimeoutNanos() - now());
            if (wire.owed() == 0) {
                node.waitedFor(now() - sentNanos);
                node.giveBack(wire);
                states[node.index()] = State.ANSWERED;
            }
        } catch (BrokenExchange broken) {
            node.discard(wire);
            boolean inTime = now() - sentNanos < nodes.nodeTimeoutNanos();
            if (stale && inTime && calls.get(node.index()).stream().allMatch(Call::mayBeRepeated)) {
                calls.get(node.index()).forEach(Call::repeat);
                node.forgetIdle();
                send(node, false);
                return;
            }
            failed(node, State.UNANSWERED, broken);
            node.suspect(now() - sentNanos);
        } catch (RuntimeException unexpected) {
            node.discard(wire);
            failed(node, State.UNANSWERED, unexpected);
        }
    }

    /**
     * Leaves answers that nobody waits for to be read later.
     *
     * @param late is told the node of each one that has come, or will not come
     */
    void leave(IntConsumer late) {
        List<Node> left = List.of();
        long elapsed = now() - sentNanos;
        for (Node node : order) {
            NodeConnection wire = wires[node.index()];
            if (states[node.index()] == State.PENDING && wire != null) {
                wire.owe(() -> late.accept(node.index()), sentNanos);
                node.waitedInVain(elapsed);
                if (node.isQuick(elapsed) && wire.owed() < MOST_OWED) {
                    node.giveBack(wire);
                    nodes.sweepSoon();
                } else {
                    left = left.isEmpty() ? new ArrayList<>() : left;
                    left.add(node);
                }
            }
        }
        if (!left.isEmpty()) {
            readInBackground(left);
        }
    }

    private void readInBackground(List<Node> left) {
        boolean room = nodes.stragglers().addAndGet(left.size()) <= MOST_STRAGGLERS;
        try {
            if (room) {
                nodes.context().ioExecutor().execute(() -> readLate(left));
                return;
            }
        } catch (RejectedExecutionException closing) {
            room = false;
        }
        nodes.stragglers().addAndGet(-left.size());
        for (Node node : left) {
            NodeConnection wire = wires[node.index()];
            if (wire != null) {
                node.discard(wire);
            }
        }
    }

    /** The asking thread does not look at the states of these nodes any more. */
    private void readLate(List<Node> left) {
        for (Node node : left) {
            NodeConnection wire = wires[node.index()];
            if (wire != null) {
                node.settle(wire, sentNanos, nodes.nodeTimeoutNanos());
            }
            nodes.stragglers().decrementAndGet();
        }
    }

    /** {@return the calls to a node, whose answers may have come late} */
    List<Call> calls(int node) {
        return calls.get(node);
    }

    private void failed(Node node, State state, RuntimeException why) {
        states[node.index()] = state;
        failures[node.index()] = why;
    }

    private long now() {
        return nodes.context().clock().nanos();
    }
}
