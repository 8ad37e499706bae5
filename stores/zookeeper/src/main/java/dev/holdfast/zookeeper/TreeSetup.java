package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/**
 * Makes what is missing of the tree, and checks that what is there is ours. Nodes above the base path belong to whoever
 * else uses them: one that is missing is made with the access list of the node above it, and not for our user alone.
 * Immutable.
 */
final class TreeSetup {
    private static final String HEADER = "holdfast locks 1 ";
    private static final byte[] NOTHING = {};

    /** As many as there can be that somebody deletes while we make what is below. */
    private static final int MOST_ATTEMPTS = 8;

    /** What a server writes instead of the part of an access list that it does not show. */
    private static final String MASKED = ":x";

    private final Settings settings;

    TreeSetup(Settings settings) {
        this.settings = settings;
    }

    /**
     * Prepares the tree.
     *
     * @return what nodes of locks are made with
     */
    List<ACL> prepare(Session session, Call call) {
        try {
            List<ACL> own = settings.acl();
            if (own == null) {
                own = isSignedIn(session, call) ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
            }
            for (int attempt = 1; ; attempt++) {
                try {
                    make(own, session, call);
                    return own;
                } catch (KeeperException.NoNodeException deletedMeanwhile) {
                    if (attempt == MOST_ATTEMPTS) {
                        throw deletedMeanwhile;
                    }
                }
            }
        } catch (KeeperException refused) {
            throw call.fault(refused);
        }
    }

    private void make(List<ACL> own, Session session, Call call) throws KeeperException {
        String above = "/";
        for (String path : settings.layout().ancestry()) {
            if (!exists(path, session, call)) {
                boolean base = path.equals(settings.layout().base());
                create(path, above, base ? own : accessOf(above, own, session, call), session, call);
            }
            above = path;
        }
        String header = HEADER + settings.mode().word();
        String found = header(header, own, session, call);
        if (!found.equals(header)) {
            throw mismatch(found);
        }
    }

    /** A session without a user cannot make nodes for its user only, and the server says so before anything else. */
    private boolean isSignedIn(Session session, Call call) throws KeeperException {
        try {
            // There is no such name, so that nothing is made.
            String nowhere = settings.layout().locks() + "/%/%";
            call.await(session.create(nowhere, NOTHING, ZooDefs.Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL));
            return true;
        } catch (KeeperException.InvalidACLException nobody) {
            return false;
        } catch (KeeperException.NoNodeException | KeeperException.NoAuthException somebody) {
            return true;
        }
    }

    /** What may not be read is there. */
    private static boolean exists(String path, Session session, Call call) throws KeeperException {
        try {
            call.await(session.read(path, null));
            return true;
        } catch (KeeperException.NoNodeException missing) {
            return false;
        } catch (KeeperException.NoAuthException unreadable) {
            return true;
        }
    }

    private static void create(String path, String above, List<ACL> acl, Session session, Call call)
            throws KeeperException {
        try {
            call.await(session.create(path, NOTHING, acl, CreateMode.PERSISTENT));
        } catch (KeeperException.NodeExistsException meanwhile) {
            return;
        } catch (KeeperException.NoNodeException noRoot) {
            if (!above.equals("/")) {
                throw noRoot;
            }
            throw new StoreMisconfiguredException(
                    "the path behind the servers in the connection string of the Curator client (its chroot) does not"
                            + " exist in ZooKeeper; create it, or give another one",
                    noRoot);
        }
    }

    /** If it cannot be known, a node is made for nobody but its own users. */
    private static List<ACL> accessOf(String path, List<ACL> own, Session session, Call call) throws KeeperException {
        try {
            List<ACL> seen = call.await(session.access(path));
            boolean whole = !seen.isEmpty()
                    && seen.stream().noneMatch(entry -> entry.getId().getId().endsWith(MASKED));
            return whole ? seen : own;
        } catch (KeeperException.NoAuthException hidden) {
            return own;
        }
    }

    private String header(String header, List<ACL> own, Session session, Call call) throws KeeperException {
        String path = settings.layout().locks();
        try {
            return text(call.await(session.read(path, null)));
        } catch (KeeperException.NoNodeException missing) {
            try {
                byte[] data = header.getBytes(StandardCharsets.UTF_8);
                call.await(session.create(path, data, own, CreateMode.PERSISTENT));
                return header;
            } catch (KeeperException.NodeExistsException meanwhile) {
                return text(call.await(session.read(path, null)));
            }
        }
    }

    private static String text(Session.Node node) {
        return new String(node.data(), StandardCharsets.UTF_8);
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
}
