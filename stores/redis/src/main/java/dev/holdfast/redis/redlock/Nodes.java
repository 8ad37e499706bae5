package dev.holdfast.redis.redlock;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** All configured nodes, and how many of them decide. Thread-safe. */
final class Nodes implements AutoCloseable {
    private static final Duration SWEPT_AFTER = Duration.ofMillis(200);
    private static final Duration LONGEST_GOODBYE = Duration.ofMillis(250);
    private static final long GOODBYE_STEP_NANOS = 200_000;

    private final List<Node> all;
    private final StoreContext context;
    private final Duration nodeTimeout;
    private final Duration patience;
    private final Semaphore rounds;
    private final ShortWait nearAnswer;

    /** Whether somebody will look for answers that nobody has come for. */
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /** How many answers nobody waits for are being read in the background. */
    private final AtomicInteger stragglers = new AtomicInteger();

    Nodes(List<Node> all, StoreContext context, RedlockSettings settings) {
        this.all = List.copyOf(all);
        this.context = context;
        this.nearAnswer = context.newShortWait();
        this.nodeTimeout = settings.nodeTimeout();
        this.patience = settings.common().timeout();
        this.rounds = new Semaphore(settings.common().maxConnections());
    }

    List<Node> all() {
        return all;
    }

    int count() {
        return all.size();
    }

    /** {@return so many nodes have to agree; any two such sets have a node in common} */
    int quorum() {
        return all.size() / 2 + 1;
    }

    /** {@return so many nodes without which there is no quorum} */
    int blocking() {
        return all.size() - quorum() + 1;
    }

    StoreContext context() {
        return context;
    }

    long nodeTimeoutNanos() {
        return nodeTimeout.toNanos();
    }

    AtomicInteger stragglers() {
        return stragglers;
    }

    /** {@return stays awake for answers that are about to come} */
    ShortWait nearAnswer() {
        return nearAnswer;
    }

    /** {@return all of them, those first that usually answer first} */
    Node[] quickestFirst() {
        Node[] order = new Node[all.size()];
        long[] waits = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            Node node = all.get(i);
            long wait = node.typicalWaitNanos();
            int at = i;
            for (; at > 0 && waits[at - 1] > wait; at--) {
                order[at] = order[at - 1];
                waits[at] = waits[at - 1];
            }
            order[at] = node;
            waits[at] = wait;
        }
        return order;
    }

    /**
     * Asks all nodes at once and reads their answers.
     *
     * @param question what to ask each, by its index; nothing if the list is empty
     * @param enough whether more answers are of no interest
     * @param decided whether more answers could not change anything, though they may save work
     * @return what was answered
     * @throws StoreUnavailableException if too many rounds are under way for too long
     */
    QuorumRound ask(IntFunction<List<Call>> question, Predicate<QuorumRound> enough, Predicate<QuorumRound> decided) {
        // An interrupt that came before must not disturb the sockets of a virtual thread.
        boolean interrupted = Thread.interrupted();
        try {
            interrupted |= begin();
            try {
                QuorumRound round = new QuorumRound(this, question);
                round.send();
                round.gather(enough, decided);
                return round;
            } finally {
                rounds.release();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Asks all nodes and waits for whoever can be waited for. */
    QuorumRound askAll(IntFunction<List<Call>> question) {
        return ask(question, round -> false, round -> false);
    }

    /** Sees to it that answers are read before long also if nobody asks again. */
    void sweepSoon() {
        if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
            try {
                context.scheduler().schedule(SWEPT_AFTER, this::sweep);
            } catch (RejectedExecutionException closing) {
                sweeping.set(false);
            }
        }
    }

    private void sweep() {
        sweeping.set(false);
        long before = context.clock().nanos() - SWEPT_AFTER.toNanos() / 2;
        boolean more = false;
        for (Node node : all) {
            more |= node.sweep(before, nodeTimeoutNanos());
        }
        if (more) {
            sweepSoon();
        }
    }

    /** Waits until few enough rounds are under way; tells whether the thread was interrupted meanwhile. */
    private boolean begin() {
        if (rounds.tryAcquire()) {
            return false;
        }
        boolean interrupted = false;
        long until = context.clock().nanos() + patience.toNanos();
        while (true) {
            try {
                if (rounds.tryAcquire(until - context.clock().nanos(), TimeUnit.NANOSECONDS)) {
                    return interrupted;
                }
                throw new StoreUnavailableException(
                        "ask", "all nodes", new TimeoutException("all connections were busy for too long"));
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
    }

    /** What was sent last is heard, and what nodes must still be told is said, before connections end. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        long until = context.clock().nanos() + LONGEST_GOODBYE.toNanos();
        all.forEach(node ->
                node.sweep(context.clock().nanos(), until - context.clock().nanos()));
        while (isBusy() && context.clock().nanos() - until < 0) {
            LockSupport.parkNanos(this, GOODBYE_STEP_NANOS);
            interrupted |= Thread.interrupted();
        }
        all.forEach(Node::close);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isBusy() {
        return stragglers.get() > 0 || all.stream().anyMatch(Node::hasDeferredCalls);
    }
}
