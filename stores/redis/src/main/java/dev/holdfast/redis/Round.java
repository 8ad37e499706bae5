package dev.holdfast.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One question to all nodes. The asking thread sends to all of them and then reads their answers itself, those first that
 * usually come first: with five nodes that is five writes, three reads and no other thread. Once the outcome is decided
 * nobody waits any more: the other answers are read by whoever uses those connections next, or in the background from nodes
 * that have been slow lately. Used by one thread.
 */
final class Round {
    private static final int MOST_STRAGGLERS = 256;

    /** What came of asking a node. */
    private enum State {
        NOT_ASKED,
        PENDING,
        ANSWERED,
        NOT_SENT,
        UNANSWERED
    }

    private final Nodes nodes;

    /** Those first that are usually waited for the least: asked first, and read first. */
    private final List<Node> order;

    private final long sentNanos;
    private final List<List<Call>> calls;
    private final State[] states;
    private final @Nullable NodeWire[] wires;
    private final @Nullable RuntimeException[] failures;

    Round(Nodes nodes, IntFunction<List<Call>> question) {
        this.nodes = nodes;
        this.order = new ArrayList<>(nodes.all());
        order.sort(Comparator.comparingLong(Node::typicalWaitNanos));
        this.sentNanos = nodes.context().clock().nanos();
        this.calls = new ArrayList<>(nodes.count());
        for (int i = 0; i < nodes.count(); i++) {
            calls.add(question.apply(i));
        }
        this.states = new State[nodes.count()];
        Arrays.fill(states, State.NOT_ASKED);
        this.wires = new NodeWire[nodes.count()];
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
            trusted += node.isSuspected() ? 0 : 1;
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
        NodeWire wire = null;
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

    /** Reads answers until the outcome is decided. */
    void gather(Predicate<Round> decided) {
        for (Node node : order) {
            if (states[node.index()] == State.PENDING && (node.isQuick(now() - sentNanos) || !decided.test(this))) {
                read(node, true);
            }
        }
    }

    private void read(Node node, boolean mayTryAgain) {
        NodeWire wire = wires[node.index()];
        if (wire == null) {
            return;
        }
        long begin = now();
        boolean stale = wire.isStale();
        try {
            // Past the timeout there may still be an answer that came while this thread was not running.
            wire.read(calls.get(node.index()), sentNanos + nodes.nodeTimeoutNanos() - begin);
            node.waitedFor(now() - begin);
            node.giveBack(wire);
            states[node.index()] = State.ANSWERED;
        } catch (BrokenExchange broken) {
            node.discard(wire);
            boolean inTime = now() - sentNanos < nodes.nodeTimeoutNanos();
            if (stale
                    && mayTryAgain
                    && inTime
                    && calls.get(node.index()).stream().allMatch(Call::mayBeRepeated)) {
                calls.get(node.index()).forEach(Call::repeat);
                node.forgetIdle();
                send(node, false);
                if (states[node.index()] == State.PENDING) {
                    read(node, false);
                }
                return;
            }
            failed(node, State.UNANSWERED, broken);
            node.suspect(now() - begin);
        } catch (RuntimeException unexpected) {
            node.discard(wire);
            failed(node, State.UNANSWERED, unexpected);
        }
    }

    /** Leaves answers that nobody waits for to be read later; each one that comes is told by its node's index. */
    void leave(IntConsumer late) {
        List<Node> left = new ArrayList<>();
        long elapsed = now() - sentNanos;
        for (Node node : nodes.all()) {
            NodeWire wire = wires[node.index()];
            if (states[node.index()] == State.PENDING && wire != null) {
                if (node.isQuick(elapsed)) {
                    wire.owe(calls.get(node.index()), () -> late.accept(node.index()));
                    node.giveBack(wire);
                } else {
                    left.add(node);
                }
            }
        }
        if (left.isEmpty()) {
            return;
        }
        boolean room = nodes.stragglers().addAndGet(left.size()) <= MOST_STRAGGLERS;
        try {
            if (room) {
                nodes.context().ioExecutor().execute(() -> readLate(left, late));
                return;
            }
        } catch (RejectedExecutionException closing) {
            room = false;
        }
        nodes.stragglers().addAndGet(-left.size());
        for (Node node : left) {
            NodeWire wire = wires[node.index()];
            if (wire != null) {
                node.discard(wire);
            }
        }
    }

    /** The asking thread does not look at the states of these nodes any more. */
    private void readLate(List<Node> left, IntConsumer late) {
        for (Node node : left) {
            NodeWire wire = wires[node.index()];
            if (wire != null && readLate(node, wire)) {
                late.accept(node.index());
            }
            nodes.stragglers().decrementAndGet();
        }
    }

    private boolean readLate(Node node, NodeWire wire) {
        long begin = now();
        try {
            wire.read(calls.get(node.index()), sentNanos + nodes.nodeTimeoutNanos() - begin);
        } catch (RuntimeException broken) {
            node.discard(wire);
            node.suspect(now() - begin);
            return false;
        }
        node.waitedFor(now() - begin);
        node.giveBack(wire);
        return true;
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
