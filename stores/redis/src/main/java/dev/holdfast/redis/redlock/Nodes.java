package dev.holdfast.redis.redlock;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreContext;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final Duration connectTimeout;
    private final Duration patience;
    private final Semaphore rounds;
    private final ShortWait nearAnswer;

    /** Whether somebody will look for answers that nobody has come for. */
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /** With which threads wait for several nodes; those that nobody uses. */
    private final Deque<Selector> selectors = new ConcurrentLinkedDeque<>();

    Nodes(List<Node> all, StoreContext context, RedlockSettings settings, boolean tls) {
        this.all = List.copyOf(all);
        this.context = context;
        this.nearAnswer = context.newShortWait();
        this.nodeTimeout = settings.nodeTimeout();
        this.connectTimeout = settings.forAsking(tls).timeout();
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

    /** {@return how long a connection may take beyond that, if there is none yet} */
    long connectTimeoutNanos() {
        return connectTimeout.toNanos();
    }

    /** {@return by when a call that begins now must be over} */
    long deadline() {
        return context.clock().nanos() + patience.toNanos();
    }

    /** {@return lets the calling thread wait for several nodes} */
    AnswerWatch watch() {
        return new AnswerWatch(selectors);
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
     * Asks all nodes at once and reads their answers. One that does not keep up is left out, if there are enough others.
     *
     * @param question what to ask each, by its index; nothing if the list is empty
     * @param enough whether more answers are of no interest
     * @param decided whether more answers could not change anything, though they may save work
     * @param untilNanos by when it must be over
     * @return what was answered
     * @throws StoreUnavailableException if too many rounds are under way for too long
     */
    QuorumRound ask(
            IntFunction<List<Call>> question,
            Predicate<QuorumRound> enough,
            Predicate<QuorumRound> decided,
            long untilNanos) {
        return ask(question, enough, decided, untilNanos, nodeTimeoutNanos(), QuorumRound.Avoiding.LAGGARDS);
    }

    /** Asks all nodes and waits for whoever can be waited for. */
    QuorumRound askAll(IntFunction<List<Call>> question, long untilNanos) {
        return ask(
                question,
                round -> false,
                round -> false,
                untilNanos,
                nodeTimeoutNanos(),
                QuorumRound.Avoiding.SUSPECTS);
    }

    /** Asks all nodes, and gives each as much time as there is. */
    QuorumRound askPatiently(IntFunction<List<Call>> question, Predicate<QuorumRound> enough, long untilNanos) {
        return ask(question, enough, enough, untilNanos, patience.toNanos(), QuorumRound.Avoiding.NOBODY);
    }

    private QuorumRound ask(
            IntFunction<List<Call>> question,
            Predicate<QuorumRound> enough,
            Predicate<QuorumRound> decided,
            long untilNanos,
            long patienceNanos,
            QuorumRound.Avoiding avoiding) {
        // An interrupt that came before must not end the wait for the nodes.
        boolean interrupted = Thread.interrupted();
        try {
            interrupted |= begin(untilNanos);
            try {
                QuorumRound round = new QuorumRound(this, question, untilNanos, patienceNanos);
                round.send(avoiding);
                try {
                    round.gather(enough, decided);
                } catch (UncheckedIOException noSelector) {
                    round.leave(node -> {});
                    throw new StoreUnavailableException("ask", "all nodes", noSelector);
                }
                interrupted |= round.wasInterrupted();
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
        if (sweepNow(SWEPT_AFTER.toNanos() / 2)) {
            sweepSoon();
        }
    }

    private boolean sweepNow(long leastAgeNanos) {
        long now = context.clock().nanos();
        boolean more = false;
        for (Node node : all) {
            more |= node.sweep(now - leastAgeNanos, now - nodeTimeoutNanos() - connectTimeoutNanos());
        }
        return more;
    }

    /** Waits until few enough rounds are under way; tells whether the thread was interrupted meanwhile. */
    private boolean begin(long untilNanos) {
        if (rounds.tryAcquire()) {
            return false;
        }
        boolean interrupted = false;
        while (true) {
            try {
                if (rounds.tryAcquire(untilNanos - context.clock().nanos(), TimeUnit.NANOSECONDS)) {
                    return interrupted;
                }
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throw new StoreUnavailableException(
                "ask", "all nodes", new TimeoutException("all connections were busy for too long"));
    }

    /** What was sent last is heard, and what nodes must still be told is said, before connections end. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        long until = context.clock().nanos() + LONGEST_GOODBYE.toNanos();
        all.forEach(Node::sayGoodbye);
        while (isBusy() && context.clock().nanos() - until < 0) {
            LockSupport.parkNanos(this, GOODBYE_STEP_NANOS);
            interrupted |= Thread.interrupted();
        }
        all.forEach(Node::close);
        for (Selector idle = selectors.pollFirst(); idle != null; idle = selectors.pollFirst()) {
            AnswerWatch.end(idle);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What comes late may be something to tell. */
    private boolean isBusy() {
        return sweepNow(0) | all.stream().anyMatch(Node::isBeingTold);
    }
}
