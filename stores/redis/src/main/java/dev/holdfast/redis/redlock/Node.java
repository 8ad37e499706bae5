package dev.holdfast.redis.redlock;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.topology.Deployment;
import dev.holdfast.redis.topology.OneServer;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * One of the independent nodes: its connections, whether it is worth waiting for, and what it must still be told.
 *
 * <p>A node that did not answer is suspected. Nobody waits for it then, unless too few others are left; it is probed in the
 * background instead. What it must hear in any case, such as a release, waits here for it, and is told when it answers
 * again, unless it has forgotten it by itself by then. Thread-safe.
 */
final class Node implements AutoCloseable {
    /** Who answers so fast is always worth waiting for. */
    static final long QUICK_NANOS = 1_000_000;

    /** So many connections with unread answers, and a node is too slow to be asked whenever there is something to ask. */
    private static final int MOST_LEFT = 8;

    private static final Duration FIRST_PROBE = Duration.ofMillis(20);
    private static final int MOST_DOUBLINGS = 6;
    private static final int SMOOTHING = 8;

    private final int index;
    private final String where;
    private final StoreContext context;
    private final NodeDialler dialler;
    private final Server background;
    private final CallRouter router;
    private final DeferredDelivery deferred;
    private final ConcurrentLinkedDeque<NodeConnection> idle = new ConcurrentLinkedDeque<>();

    /** Connections with so many unread answers that nothing more is asked there until those have come. */
    private final Set<NodeConnection> left = ConcurrentHashMap.newKeySet();

    private final Set<NodeConnection> open = ConcurrentHashMap.newKeySet();

    /** What it may not know is sent in full once, so that the first requests of a client are not answered by a refusal. */
    private final Set<Script> unknownScripts = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean suspected = new AtomicBoolean();

    /** Somebody asks from time to time whether it answers. */
    private final AtomicBoolean probed = new AtomicBoolean();

    /** How long threads have lately waited for its answers; many write it, and a lost update does no harm. */
    private volatile long typicalWaitNanos;

    private volatile boolean closed;

    /**
     * Makes a node that is not connected yet.
     *
     * @param index which of the nodes it is
     * @param dialler connects for asking
     * @param background the same node, for what may take longer
     * @param patience how long that may take
     */
    Node(int index, NodeDialler dialler, Server background, Duration patience, StoreContext context) {
        this.index = index;
        this.where = background.where();
        this.context = context;
        this.dialler = dialler;
        this.background = background;
        unknownScripts.addAll(EnumSet.allOf(Script.class));
        this.router = new CallRouter(new OneServer(background), context.ioExecutor(), context.clock(), patience);
        this.deferred = new DeferredDelivery(context, router, () -> suspect(0));
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

    boolean isSuspected() {
        return suspected.get();
    }

    /** {@return whether it answers, but so slowly that it does not keep up} */
    boolean isBehind() {
        return left.size() >= MOST_LEFT;
    }

    /** {@return whether it is usual to wait no longer for it than has been waited already} */
    boolean isQuick(long elapsedNanos) {
        return typicalWaitNanos <= Math.max(QUICK_NANOS, 2 * elapsedNanos);
    }

    long typicalWaitNanos() {
        return typicalWaitNanos;
    }

    /** It has answered somebody who waited for it. */
    void answered(long waitedNanos) {
        waitedFor(waitedNanos);
        if (suspected.get() && suspected.compareAndSet(true, false)) {
            deferred.start();
        }
    }

    private void waitedFor(long nanos) {
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
     * Takes an idle connection, or begins one.
     *
     * @param addressFound by when the node's address has to be found
     * @param toldBy by when the program has to tell how to connect
     * @throws BrokenExchange if there is none
     */
    NodeConnection borrow(Deadline addressFound, Deadline toldBy) {
        if (closed) {
            throw BrokenExchange.beforeSending("the store is closed", new IllegalStateException("the store is closed"));
        }
        for (NodeConnection connection = idle.pollFirst(); connection != null; connection = idle.pollFirst()) {
            if (!connection.isOwed() || goesOn(connection)) {
                return connection;
            }
        }
        NodeConnection fresh = dialler.dial(unknownScripts, addressFound, toldBy);
        open.add(fresh);
        return fresh;
    }

    /** If a connection has to be begun, begins to look for where. */
    void lookUp(Deadline toldBy) {
        if (idle.isEmpty()) {
            dialler.lookUp(toldBy);
        }
    }

    /** Reads what somebody before did not wait for, and has come. */
    private boolean goesOn(NodeConnection connection) {
        try {
            connection.advance();
            return true;
        } catch (RuntimeException broken) {
            discard(connection);
            return false;
        }
    }

    /** Takes a connection back on which answers are still to come. */
    void leave(NodeConnection connection, boolean slow) {
        if (slow) {
            left.add(connection);
        } else {
            idle.offerFirst(connection);
        }
        if (closed) {
            forgetConnections();
        }
    }

    void giveBack(NodeConnection connection) {
        leave(connection, false);
    }

    /**
     * Reads answers that nobody has come for.
     *
     * @param askedBefore only what was asked before that is looked at
     * @param overdueBefore what was asked before that will not come any more
     * @return whether there are some left
     */
    boolean sweep(long askedBefore, long overdueBefore) {
        boolean more = false;
        for (NodeConnection connection : left) {
            more |= left.remove(connection) && look(connection, overdueBefore, true);
        }
        for (NodeConnection connection : idle) {
            if (connection.hasOwedSince(askedBefore)) {
                more |= idle.remove(connection) && look(connection, overdueBefore, false);
            } else {
                more |= connection.isOwed();
            }
        }
        return more;
    }

    private boolean look(NodeConnection connection, long overdueBefore, boolean slow) {
        if (!goesOn(connection)) {
            return false;
        }
        if (connection.owed() == 0) {
            giveBack(connection);
            return false;
        }
        if (connection.hasOwedSince(overdueBefore)) {
            timedOut(connection, context.clock().nanos() - overdueBefore);
            return false;
        }
        leave(connection, slow);
        return true;
    }

    /** Gives up a connection on which nothing came. */
    void timedOut(NodeConnection connection, long waitedNanos) {
        if (!connection.mayHaveArrived()) {
            dialler.tryAnotherAddress();
        }
        discard(connection);
        suspect(waitedNanos);
    }

    void discard(NodeConnection connection) {
        open.remove(connection);
        connection.cut();
        connection.abandon();
    }

    /** Forgets connections that are not in use, because they are probably broken. */
    void forgetIdle() {
        for (NodeConnection connection = idle.pollFirst(); connection != null; connection = idle.pollFirst()) {
            discard(connection);
        }
    }

    private void forgetConnections() {
        forgetIdle();
        for (NodeConnection connection : left) {
            if (left.remove(connection)) {
                discard(connection);
            }
        }
    }

    /** Notes that it did not answer; from now on it is probed until it does. */
    void suspect(long waitedNanos) {
        typicalWaitNanos = Math.max(typicalWaitNanos, waitedNanos);
        if (!closed && suspected.compareAndSet(false, true)) {
            forgetConnections();
            if (probed.compareAndSet(false, true)) {
                later(0, () -> probe(0));
            }
        }
    }

    /** Why it is not asked. */
    BrokenExchange suspicion() {
        return BrokenExchange.beforeSending(
                where + " has not answered lately", new TimeoutException("it is being probed"));
    }

    /** Tells it something in the background, now or when it answers again, within a time after which it does not matter. */
    void tell(DeferredCalls.Key key, long attempt, Supplier<Call> call, Duration until) {
        deferred.add(key, attempt, call, until);
        if (!suspected.get()) {
            deferred.start();
        }
    }

    /** Tries once more to tell what is left, also if it did not answer lately. */
    void sayGoodbye() {
        deferred.start();
    }

    /** {@return whether it is being told something now, or will be} */
    boolean isBeingTold() {
        return deferred.isBusy();
    }

    private void probe(int failures) {
        if (closed) {
            return;
        }
        if (isAnswering()) {
            typicalWaitNanos = 0;
            // In this order: whoever suspects it in between is contradicted, and not left without a probe.
            probed.set(false);
            suspected.set(false);
            deferred.start();
        } else {
            long longest = FIRST_PROBE.toNanos() << Math.min(failures, MOST_DOUBLINGS);
            later(longest / 2 + context.random().nextLong(longest / 2), () -> probe(failures + 1));
        }
    }

    /** A node that is loading does not answer. One that does not let us in is asked again, so that somebody is told why. */
    private boolean isAnswering() {
        try {
            Call ping = Call.of(Command.PING);
            router.deliver(ping, null);
            RuntimeException failure = ping.failure();
            return failure == null || Faults.of("ping", where, failure) instanceof StoreMisconfiguredException;
        } catch (RuntimeException unexpected) {
            return false;
        }
    }

    private void later(long nanos, Runnable task) {
        try {
            context.scheduler().schedule(Duration.ofNanos(nanos), task);
        } catch (RejectedExecutionException closing) {
            probed.set(false);
            suspected.set(false);
        }
    }

    @Override
    public void close() {
        closed = true;
        deferred.close();
        forgetConnections();
        open.forEach(NodeConnection::cut);
        background.close();
    }
}
