package dev.holdfast.zookeeper;

import dev.holdfast.StoreFactory;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Locks on a Curator client that the program already has:
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().store(ZooKeeperLocks.on(curator)).build();
 * }</pre>
 *
 * <p>The client has to be started, and is not closed. Its namespace applies. A lease ends with the client's session, so
 * the session timeout of the client is what leases depend on. Immutable; every {@code with…} method returns a changed
 * copy.
 */
public final class ZooKeeperLocks implements StoreFactory {
    private final CuratorFramework curator;
    private final String base;
    private final Mode mode;
    private final @Nullable List<ACL> acl;

    private ZooKeeperLocks(CuratorFramework curator, String base, Mode mode, @Nullable List<ACL> acl) {
        this.curator = curator;
        this.base = base;
        this.mode = mode;
        this.acl = acl;
    }

    /**
     * Uses a client.
     *
     * @param client started by the caller, and closed by the caller after Holdfast
     * @return locks below {@code /holdfast}, fair
     */
    public static ZooKeeperLocks on(CuratorFramework client) {
        return new ZooKeeperLocks(Objects.requireNonNull(client, "client"), Address.DEFAULT_BASE, Mode.FAIR, null);
    }

    /**
     * Chooses where the nodes are.
     *
     * @param path below the client's namespace, with a slash at its beginning
     * @return the changed copy
     * @throws dev.holdfast.StoreMisconfiguredException if it is not a path
     */
    public ZooKeeperLocks withBase(String path) {
        return new ZooKeeperLocks(curator, Address.checkedBase(path, path), mode, acl);
    }

    /**
     * Chooses how names are locked.
     *
     * @param chosen the same for all clients of a base path
     * @return the changed copy
     */
    public ZooKeeperLocks withMode(Mode chosen) {
        return new ZooKeeperLocks(curator, base, Objects.requireNonNull(chosen, "chosen"), acl);
    }

    /**
     * Chooses the access list of every node that is made. If none is chosen, nodes belong to the user that the client is
     * signed in as, and to everybody only if it is not signed in.
     *
     * @param entries the list
     * @return the changed copy
     */
    public ZooKeeperLocks withAcl(List<ACL> entries) {
        return new ZooKeeperLocks(curator, base, mode, List.copyOf(entries));
    }

    @Override
    public LockStore open(StoreContext context) {
        String namespace = curator.getNamespace();
        String path = namespace == null || namespace.isEmpty() ? base : "/" + namespace + base;
        return open(curator, false, new Settings(new Layout(path), mode, acl), context);
    }

    static LockStore open(CuratorFramework curator, boolean owned, Settings settings, StoreContext context) {
        BiFunction<StoreContext, Connection.Observer, Connection> connect =
                (lent, observer) -> new Connection(curator, owned, settings, lent, observer);
        return settings.mode() == Mode.FAIR
                ? new FairStore(settings, context, connect)
                : new SimpleStore(settings, context, connect);
    }
}
