package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
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
    private static final String HEADER = "holdfast locks 1 ";

    private final CuratorFramework curator;
    private final boolean owned;
    private final Settings settings;
    private final StoreContext context;
    private final Observer observer;
    private final ConnectionStateListener listener = (client, state) -> stateChanged(state);
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
        this.context = context;
        this.observer = observer;
        curator.getConnectionStateListenable().addListener(listener);
    }

    /** Begins a call, which may last for the command timeout in all. */
    Call call(String operation, String lockName) {
        return new Call(operation, lockName, context);
    }

    /** A session in which the tree is prepared. */
    Session ready(Call call) {
        Session session = session(call);
        if (acl == null) {
            prepare(session, call);
        }
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
        Session session = session(call);
        prepare(session, call);
        try {
            call.await(session.multi(List.of(Op.check(settings.layout().locks(), -1))));
        } catch (KeeperException refused) {
            throw call.fault(refused);
        }
    }

    /** The answer to a request was that its session is over. */
    void expired(Session session) {
        if (session.end()) {
            observer.ended(session);
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends the session, or, where it is not ours to end, has what is left in it given back. */
    void close(Consumer<Session> giveBack) {
        closed = true;
        curator.getConnectionStateListenable().removeListener(listener);
        Session session = current;
        if (owned) {
            end(session);
        } else if (session != null && !session.hasEnded()) {
            giveBack.accept(session);
        }
    }

    /**
     * Ends the client and returns when its session is closed. The client's thread sleeps for a tenth of a second after
     * that, which nobody has to wait for.
     */
    private void end(@Nullable Session session) {
        Thread closer = new Thread(curator::close, "holdfast-" + context.clientName() + "-zookeeper-close");
        closer.setDaemon(true);
        closer.start();
        long until = context.clock().nanos() + LONGEST_GOODBYE.toNanos();
        while (closer.isAlive()
                && (session == null || session.isOpen())
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
        if (closed || curator.getState() != CuratorFrameworkState.STARTED) {
            throw call.unavailable(new IllegalStateException("the store or its Curator client is closed"));
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
        Session fresh = new Session(handle, context.clock());
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

    private void stateChanged(ConnectionState state) {
        Session known = current;
        if (known == null) {
            return;
        }
        if (state == ConnectionState.LOST) {
            expired(known);
        } else if (state == ConnectionState.RECONNECTED) {
            reattached(known);
        }
    }

    private void reattached(Session known) {
        try {
            if (!known.isOf(curator.getZookeeperClient().getZooKeeper())) {
                expired(known);
            } else if (!known.hasEnded()) {
                observer.attached(known);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception goneAgain) {
            // The next change of state, or the next call, will look again.
            return;
        }
    }

    /** Makes what is missing of the tree, and checks that what is there is ours. */
    private void prepare(Session session, Call call) {
        try {
            List<ACL> wanted = settings.acl();
            if (wanted == null) {
                wanted = isSignedIn(session, call) ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
            }
            for (String path : settings.layout().ancestry()) {
                createMissing(session, path, "", wanted, call);
            }
            String header = HEADER + settings.mode().word();
            String found = createMissing(session, settings.layout().locks(), header, wanted, call);
            if (!found.equals(header)) {
                throw mismatch(found);
            }
            acl = wanted;
        } catch (KeeperException refused) {
            throw call.fault(refused);
        }
    }

    /** A session without a user cannot make nodes for its user only, and the server says so before anything else. */
    private boolean isSignedIn(Session session, Call call) throws KeeperException {
        try {
            call.await(session.create(
                    settings.layout().ancestry().get(0),
                    new byte[0],
                    ZooDefs.Ids.CREATOR_ALL_ACL,
                    CreateMode.PERSISTENT));
            return true;
        } catch (KeeperException.InvalidACLException nobody) {
            return false;
        } catch (KeeperException.NodeExistsException | KeeperException.NoAuthException somebody) {
            return true;
        }
    }

    private static String createMissing(Session session, String path, String data, List<ACL> acl, Call call)
            throws KeeperException {
        try {
            return new String(call.await(session.read(path, null)).data(), StandardCharsets.UTF_8);
        } catch (KeeperException.NoNodeException missing) {
            try {
                call.await(session.create(path, data.getBytes(StandardCharsets.UTF_8), acl, CreateMode.PERSISTENT));
                return data;
            } catch (KeeperException.NodeExistsException meanwhile) {
                return new String(call.await(session.read(path, null)).data(), StandardCharsets.UTF_8);
            }
        } catch (KeeperException.NoAuthException unreadable) {
            if (path.endsWith("/locks")) {
                throw unreadable;
            }
            return data;
        }
    }

    private StoreMisconfiguredException mismatch(String found) {
        String path = settings.layout().locks();
        if (!found.startsWith("holdfast locks ")) {
            return new StoreMisconfiguredException(
                    path + " was made by another program; choose another base path for Holdfast");
        }
        return new StoreMisconfiguredException(path + " is in use as '" + found + "', but this client is set to '"
                + HEADER + settings.mode().word()
                + "'; use one mode, and one format, for all clients of a base path");
    }

    /** Whether an error means that the outcome cannot be known. */
    static boolean isUnknown(KeeperException error) {
        Code code = error.code();
        return code == Code.CONNECTIONLOSS || code == Code.OPERATIONTIMEOUT || code == Code.REQUESTTIMEOUT;
    }

    /** Whether an error means that the session is over. */
    static boolean isOver(KeeperException error) {
        return error.code() == Code.SESSIONEXPIRED || error.code() == Code.SESSIONMOVED;
    }
}
