package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * The way to the ensemble. Curator reconnects and begins a new session when the old one is over; this class notices which
 * session it is, and prepares the tree. Thread-safe.
 */
final class Connection {
    private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(5);
    private static final long GOODBYE_LOOK_NANOS = 200_000;
    private static final long REPLACEMENT_LOOK_NANOS = 1_000_000;

    private final CuratorFramework curator;
    private final boolean owned;
    private final Settings settings;
    private final TreeSetup setup;
    private final StoreContext context;
    private final Observer observer;
    private final ConnectionStateListener listener = (client, state) -> stateChanged(state);
    private final CuratorListener endListener = (client, event) -> happened(event);
    private volatile @Nullable Session current;

    /** What new nodes are made with; null until the tree was prepared. */
    private volatile @Nullable List<ACL> acl;

    private volatile boolean closed;

    /** Told of what happens to sessions, by Curator's threads or by one that asks. */
    interface Observer {
        /** A session is over, and with it every node it made. */
        void ended(Session session);

        /** The same session is attached to a server again; hints may have been missed. */
        void attached(Session session);
    }

    Connection(CuratorFramework curator, boolean owned, Settings settings, StoreContext context, Observer observer) {
        this.curator = curator;
        this.owned = owned;
        this.settings = settings;
        this.setup = new TreeSetup(settings);
        this.context = context;
        this.observer = observer;
        curator.getConnectionStateListenable().addListener(listener);
        if (!owned) {
            curator.getCuratorListenable().addListener(endListener);
        }
    }

    /** Begins a call, which may last for the command timeout in all. */
    Call call(String operation, String lockName) {
        return new Call(operation, lockName, context);
    }

    /** A session in which the tree is prepared. */
    Session ready(Call call) {
        Session session = entered(call);
        if (acl == null) {
            acl = setup.prepare(session, call);
        }
        return session;
    }

    /** A session in which a call may ask, and wait for answers. */
    private Session entered(Call call) {
        Session session = session(call);
        if (session.isAnsweredBy(Thread.currentThread())) {
            throw call.calledBack();
        }
        call.asksIn(session);
        return session;
    }

    /** What nodes are made with. */
    List<ACL> acl() {
        List<ACL> known = acl;
        if (known == null) {
            throw new IllegalStateException("the tree is not prepared yet");
        }
        return known;
    }

    /** Somebody has deleted the tree: it is made again by the next call. */
    void forgetTree() {
        acl = null;
    }

    /** Checks that the ensemble takes writes from this client. */
    void ping(Call call) {
        Session session = entered(call);
        acl = setup.prepare(session, call);
        try {
            call.await(session.multi(List.of(Op.check(settings.layout().locks(), -1))));
        } catch (KeeperException refused) {
            throw failure(refused, session, call);
        }
    }

    /** The answer to a request was that its session is over. */
    void expired(Session session) {
        if (session.end()) {
            observer.ended(session);
        }
    }

    /** What to throw for an error that a call cannot make anything of; it may tell that the session is over. */
    RuntimeException failure(KeeperException failed, Session session, Call call) {
        if (isOver(failed)) {
            expired(session);
        }
        return call.fault(failed);
    }

    boolean isClosed() {
        return closed;
    }

    /** The user has closed the client: its session is over, with all nodes, and there will not be another. */
    boolean hasLostItsClient() {
        return curator.getState() == CuratorFrameworkState.STOPPED;
    }

    /**
     * Ends the session, or, where it is not ours to end, has what is left in it cleared away: within the command timeout if
     * the ensemble answers, otherwise as soon as it answers again.
     *
     * @param left tells which claims may have left something in a session
     * @param clear as in {@link LateSweep#begin}
     */
    void close(Function<Session, List<Claim>> left, BiFunction<Claim, Session, CompletableFuture<?>> clear) {
        closed = true;
        curator.getConnectionStateListenable().removeListener(listener);
        curator.getCuratorListenable().removeListener(endListener);
        Session session = current;
        List<Claim> claims = session == null ? List.of() : left.apply(session);
        if (owned) {
            end(session);
        } else if (session != null && session.isOpen() && !claims.isEmpty()) {
            call("close", "what is left")
                    .settle(LateSweep.begin(curator, session, claims, claim -> clear.apply(claim, session)));
        }
    }

    /**
     * Ends the client and returns when its session is closed, if there was one. The client's thread sleeps for a tenth of a
     * second after that, which nobody has to wait for.
     */
    private void end(@Nullable Session session) {
        Thread closer = new Thread(curator::close, "holdfast-" + context.clientName() + "-zookeeper-close");
        closer.setDaemon(true);
        closer.start();
        long until = context.clock().nanos() + LONGEST_GOODBYE.toNanos();
        while (session != null
                && session.isOpen()
                && closer.isAlive()
                && context.clock().nanos() < until) {
            LockSupport.parkNanos(this, GOODBYE_LOOK_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }

    private Session session(Call call) {
        ZooKeeper handle = handle(call);
        Session known = current;
        return known != null && known.isOf(handle) && !known.hasEnded() ? known : begin(call);
    }

    private ZooKeeper handle(Call call) {
        if (closed) {
            throw call.unavailable(new IllegalStateException("the store is closed"));
        }
        if (curator.getState() != CuratorFrameworkState.STARTED) {
            throw new StoreMisconfiguredException(
                    curator.getState() == CuratorFrameworkState.LATENT
                            ? "the Curator client is not started; call its start() before Holdfast is built"
                            : "the Curator client was closed before Holdfast; close it after Holdfast");
        }
        try {
            return curator.getZookeeperClient().getZooKeeper();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw call.unavailable(interrupted);
        } catch (Exception unreachable) {
            throw call.unavailable(unreachable);
        }
    }

    /**
     * A handle has a session, and a timeout, once it was connected for the first time; after the end of a session it takes
     * Curator a moment to replace it.
     */
    private Session begin(Call call) {
        awaitConnected(call);
        ZooKeeper handle = handle(call);
        while (!isUsable(handle)) {
            if (call.leftNanos() == 0) {
                throw call.unavailable(new KeeperException.ConnectionLossException());
            }
            LockSupport.parkNanos(this, REPLACEMENT_LOOK_NANOS);
            awaitConnected(call);
            handle = handle(call);
        }
        Session fresh = new Session(handle, context.clock(), curator.getZookeeperClient()::isConnected);
        Session old;
        synchronized (this) {
            old = current;
            if (old != null && old.isOf(handle)) {
                return old;
            }
            current = fresh;
        }
        if (old != null) {
            expired(old);
        }
        return fresh;
    }

    private boolean isUsable(ZooKeeper handle) {
        Session known = current;
        return handle.getSessionId() != 0
                && handle.getState().isAlive()
                && (known == null || !known.isOf(handle) || !known.hasEnded());
    }

    private void awaitConnected(Call call) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long millis = TimeUnit.NANOSECONDS.toMillis(call.leftNanos());
                    if (millis == 0 || !curator.blockUntilConnected((int) millis, TimeUnit.MILLISECONDS)) {
                        throw call.unavailable(new KeeperException.ConnectionLossException());
                    }
                    return;
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

    /**
     * An event does not say which session it speaks of, and it may be late: listeners are called one after another, and
     * some take long. By then there may be a new session, which a LOST of the old one must not end. What decides is
     * whether the handle of the session is still the one in use, and alive.
     */
    private void stateChanged(ConnectionState state) {
        Session known = current;
        if (known != null && (state == ConnectionState.LOST || state == ConnectionState.RECONNECTED)) {
            look(known, state == ConnectionState.RECONNECTED);
        }
    }

    /**
     * The user closes the client although leases depend on it. Curator says so before it closes the session, and with it
     * the nodes: this is the last moment to tell holders before somebody else is granted their locks.
     */
    private void happened(CuratorEvent event) {
        Session known = current;
        if (event.getType() == CuratorEventType.CLOSING && known != null) {
            expired(known);
        }
    }

    private void look(Session known, boolean attached) {
        try {
            if (!known.isOpen() || !known.isOf(curator.getZookeeperClient().getZooKeeper())) {
                expired(known);
            } else if (attached && !known.hasEnded()) {
                observer.attached(known);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception goneAgain) {
            // The next change of state, or the next call, will look again.
            return;
        }
    }

    /** Whether an error means that the session is over. One that has moved to another server lives on there. */
    static boolean isOver(KeeperException error) {
        return error.code() == Code.SESSIONEXPIRED;
    }
}
