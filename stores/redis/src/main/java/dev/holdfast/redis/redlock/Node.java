package dev.holdfast.redis.redlock;

import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.topology.Deployment;
import dev.holdfast.redis.topology.OneServer;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.NodeConnection;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * One of the independent nodes: its connections, whether it is worth waiting for, and what it must still be told.
 *
 * <p>A node that did not answer is suspected. Nobody waits for it then, unless too few others are left; it is probed in the
 * background instead. What it must hear in any case, such as a release, waits here for it, and is told when it answers
 * again, unless it has forgotten it by itself by then. Thread-safe.
 */
final class Node implements AutoCloseable {
    private static final int MOST_DEFERRED = 10_000;
    private static final int ERRANDS_AT_ONCE = 100;
    private static final Duration FIRST_PROBE = Duration.ofMillis(20);
    private static final int MOST_DOUBLINGS = 6;
    private static final int SMOOTHING = 8;
    private static final long QUICK_NANOS = 1_000_000;

    private final int index;
    private final String where;
    private final StoreContext context;
    private final Function<Set<Script>, NodeConnection> dial;
    private final Server background;
    private final CallRouter router;
    private final ConcurrentLinkedDeque<NodeConnection> idle = new ConcurrentLinkedDeque<>();
    private final Set<NodeConnection> open = ConcurrentHashMap.newKeySet();
    private final LinkedBlockingQueue<DeferredCall> deferredCalls = new LinkedBlockingQueue<>(MOST_DEFERRED);

    /** What it may not know is sent in full once, so that the first requests of a client are not answered by a refusal. */
    private final Set<Script> unknownScripts = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean suspected = new AtomicBoolean();
    private final AtomicBoolean running = new AtomicBoolean();

    /** How long threads have lately waited for its answers; many write it, and a lost update does no harm. */
    private volatile long typicalWaitNanos;

    private volatile boolean closed;

    /** Something to tell the node. */
    private record DeferredCall(Supplier<Call> call, long untilNanos) {}

    /**
     * Makes a node that is not connected yet.
     *
     * @param index which of the nodes it is
     * @param dial connects for asking, given the scripts that it was seen not to know
     * @param background the same node, for what may take longer
     */
    Node(int index, Function<Set<Script>, NodeConnection> dial, Server background, StoreContext context) {
        this.index = index;
        this.where = background.where();
        this.context = context;
        this.dial = dial;
        this.background = background;
        unknownScripts.addAll(EnumSet.allOf(Script.class));
        this.router = new CallRouter(new OneServer(background), context.ioExecutor());
    }

    int index() {
        return index;
    }

    String where() {
        return where;
    }

    /** {@return the node as a deployment of its own, for listening} */
    Deployment deployment() {
        return router.deployment();
    }

    /** Asks on a connection of its own, with the patience of things in the background. */
    void deliver(Call call) {
        router.deliver(call, null);
    }

    boolean isSuspected() {
        return suspected.get();
    }

    /** {@return whether it is usual to wait no longer for it than has been waited already} */
    boolean isQuick(long elapsedNanos) {
        return typicalWaitNanos <= Math.max(QUICK_NANOS, 2 * elapsedNanos);
    }

    long typicalWaitNanos() {
        return typicalWaitNanos;
    }

    void waitedFor(long nanos) {
        long before = typicalWaitNanos;
        typicalWaitNanos = before + (nanos - before) / SMOOTHING;
    }

    /** It took longer than that; how much longer, nobody waited to see. It is asked after those who were quicker. */
    void waitedInVain(long nanos) {
        if (typicalWaitNanos < nanos + nanos / 4) {
            waitedFor(nanos + nanos / 4);
        }
    }

    /**
     * Takes an idle connection, or makes one.
     *
     * @param patienceNanos how long to wait for the rest of an answer that has begun to come
     * @throws BrokenExchange if there is none
     */
    NodeConnection borrow(long patienceNanos) {
        if (closed) {
            throw BrokenExchange.beforeSending("the store is closed", new IllegalStateException("the store is closed"));
        }
        for (NodeConnection wire = idle.pollFirst(); wire != null; wire = idle.pollFirst()) {
            if (!wire.isOwed() || !wire.isReady() || takes(wire, patienceNanos)) {
                return wire;
            }
        }
        NodeConnection fresh = dial.apply(unknownScripts);
        open.add(fresh);
        return fresh;
    }

    /** Reads what somebody before did not wait for, and has come. */
    private boolean takes(NodeConnection wire, long patienceNanos) {
        try {
            wire.readReady(patienceNanos);
            return true;
        } catch (BrokenExchange broken) {
            discard(wire);
            return false;
        }
    }

    /** Reads everything that is owed on a connection, and keeps it if that comes. */
    void settle(NodeConnection wire, long sentNanos, long patienceNanos) {
        try {
            wire.readAll(sentNanos + patienceNanos - context.clock().nanos());
            waitedFor(context.clock().nanos() - sentNanos);
            giveBack(wire);
        } catch (BrokenExchange broken) {
            discard(wire);
            suspect(context.clock().nanos() - sentNanos);
        } catch (RuntimeException unexpected) {
            discard(wire);
        }
    }

    /**
     * Reads answers that nobody has come for.
     *
     * @return whether there are some left that were asked for later
     */
    boolean sweep(long askedBeforeNanos, long patienceNanos) {
        boolean more = false;
        for (NodeConnection wire : idle) {
            if (wire.hasOwedSince(askedBeforeNanos)) {
                if (idle.remove(wire)) {
                    settle(wire, context.clock().nanos(), patienceNanos);
                }
            } else {
                more |= wire.isOwed();
            }
        }
        return more;
    }

    void giveBack(NodeConnection wire) {
        idle.offerFirst(wire);
        if (closed) {
            forgetIdle();
        }
    }

    void discard(NodeConnection wire) {
        open.remove(wire);
        wire.cut();
        wire.abandon();
    }

    /** Forgets connections that are not in use, because they are probably broken. */
    void forgetIdle() {
        for (NodeConnection wire = idle.pollFirst(); wire != null; wire = idle.pollFirst()) {
            discard(wire);
        }
    }

    /** Notes that it did not answer; from now on it is probed until it does. */
    void suspect(long waitedNanos) {
        typicalWaitNanos = Math.max(typicalWaitNanos, waitedNanos);
        if (!closed && suspected.compareAndSet(false, true)) {
            forgetIdle();
            later(0, () -> probe(0));
        }
    }

    /** Why it is not asked. */
    BrokenExchange suspicion() {
        return BrokenExchange.beforeSending(
                where + " has not answered lately", new TimeoutException("it is being probed"));
    }

    /** Tells it something in the background, now or when it answers again, within a time after which it does not matter. */
    void tell(Supplier<Call> call, Duration until) {
        if (deferredCalls.offer(new DeferredCall(call, context.clock().nanos() + until.toNanos()))
                && !suspected.get()) {
            runDeferredSoon();
        }
    }

    /** {@return whether it is being told something now, or will be, as it answers} */
    boolean hasDeferredCalls() {
        return !suspected.get() && (running.get() || !deferredCalls.isEmpty());
    }

    private void runDeferredSoon() {
        if (running.compareAndSet(false, true)) {
            try {
                context.ioExecutor().execute(this::runDeferred);
            } catch (RejectedExecutionException closing) {
                running.set(false);
            }
        }
    }

    private void runDeferred() {
        boolean told = true;
        try {
            while (told && !closed && !deferredCalls.isEmpty()) {
                told = runSome();
            }
        } finally {
            running.set(false);
        }
        if (told && !closed && !deferredCalls.isEmpty()) {
            runDeferredSoon();
        }
    }

    /** Runs some deferredCalls; false if the node does not answer. */
    private boolean runSome() {
        List<DeferredCall> some = new ArrayList<>();
        List<Call> calls = new ArrayList<>();
        deferredCalls.drainTo(some, ERRANDS_AT_ONCE);
        some.removeIf(deferredCall -> deferredCall.untilNanos < context.clock().nanos());
        some.forEach(deferredCall -> calls.add(deferredCall.call.get()));
        if (!calls.isEmpty()) {
            router.deliver(calls, null);
        }
        boolean told = true;
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).failure() instanceof BrokenExchange) {
                told = false;
                if (!deferredCalls.offer(some.get(i))) {
                    break;
                }
            }
        }
        if (!told) {
            suspect(0);
        }
        return told;
    }

    private void probe(int failures) {
        if (closed) {
            return;
        }
        Call ping = Call.of(Command.PING);
        router.deliver(ping, null);
        @Nullable RuntimeException failure = ping.failure();
        if (failure instanceof BrokenExchange) {
            long longest = FIRST_PROBE.toNanos() << Math.min(failures, MOST_DOUBLINGS);
            later(longest / 2 + context.random().nextLong(longest / 2), () -> probe(failures + 1));
        } else {
            typicalWaitNanos = 0;
            suspected.set(false);
            runDeferredSoon();
        }
    }

    private void later(long nanos, Runnable task) {
        try {
            context.scheduler().schedule(Duration.ofNanos(nanos), task);
        } catch (RejectedExecutionException closing) {
            suspected.set(false);
        }
    }

    @Override
    public void close() {
        closed = true;
        forgetIdle();
        open.forEach(NodeConnection::cut);
        background.close();
    }
}
