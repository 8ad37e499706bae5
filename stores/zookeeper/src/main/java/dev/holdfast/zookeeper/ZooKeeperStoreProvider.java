package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;

/**
 * Opens {@code zookeeper://host:port,host:port/base}. Options: {@code mode} (fair or simple), {@code session} (the timeout to
 * ask for), {@code tls}, {@code trustStore}, {@code trustStorePassword}, {@code keyStore}, {@code keyStorePassword}.
 */
public final class ZooKeeperStoreProvider implements StoreProvider {
    static final Set<String> TLS_OPTIONS = Set.of("trustStore", "trustStorePassword", "keyStore", "keyStorePassword");

    /** Curator's own retries are not used: the engine decides when to ask again. */
    private static final int RETRY_MILLIS = 100;

    /** More than a list of half a million names, which a server sends without asking. */
    private static final int LARGEST_REPLY_BYTES = 64 << 20;

    /** How long a server may take to accept a connection, at least. */
    private static final Duration SHORTEST_SETUP = Duration.ofMillis(1_500);

    /** So many that a session which the server makes shorter leaves enough time, too. */
    private static final int MOST_SERVERS = 12;

    /** Made by {@link java.util.ServiceLoader}. */
    public ZooKeeperStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("zookeeper");
    }

    @Override
    public Set<String> options() {
        return Set.of("mode", "session", "tls", "trustStore", "trustStorePassword", "keyStore", "keyStorePassword");
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        Address address = Address.parse(uri);
        CuratorFramework curator = connect(address, context);
        return ZooKeeperLocks.open(
                curator, true, new Settings(new Layout(address.base()), address.mode(), null), context);
    }

    /**
     * ZooKeeper's client gives a new connection the session timeout, divided by the number of servers, to be accepted. With
     * one server that is as long as a session: a connection that is set up in an outage and never heard of again would
     * outlast all leases. A server that is named several times shortens that.
     */
    static String repeated(Address address, Duration commandTimeout) {
        int servers = address.servers().split(",", -1).length;
        long enough = Math.max(SHORTEST_SETUP.toMillis(), commandTimeout.toMillis());
        long times = Math.min(MOST_SERVERS / servers, address.session().toMillis() / enough / servers);
        return String.join(",", Collections.nCopies((int) Math.max(1, times), address.servers()));
    }

    private static CuratorFramework connect(Address address, StoreContext context) {
        Duration patience = context.commandTimeout().compareTo(address.session()) < 0
                ? context.commandTimeout()
                : address.session();
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(repeated(address, context.commandTimeout()))
                .sessionTimeoutMs((int) address.session().toMillis())
                .connectionTimeoutMs((int) Math.max(1, patience.toMillis()))
                .retryPolicy(new RetryOneTime(RETRY_MILLIS))
                // The servers are those of the URL, also where they know themselves by other addresses.
                .ensembleTracker(false);
        String user = address.user();
        if (user != null) {
            builder.authorization("digest", user.getBytes(StandardCharsets.UTF_8));
        }
        Address.Tls tls = address.tls();
        ZKClientConfig config = tls == null ? new ZKClientConfig() : tls.configuration();
        config.setProperty(
                ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT,
                Long.toString(Math.max(1, context.commandTimeout().toMillis())));
        // Otherwise the client drops the connection over a list of more names than fit into a megabyte.
        config.setProperty(
                ZKConfig.JUTE_MAXBUFFER,
                Integer.toString(Math.max(LARGEST_REPLY_BYTES, config.getInt(ZKConfig.JUTE_MAXBUFFER, 0))));
        builder.zkClientConfig(config);
        try {
            CuratorFramework curator = builder.build();
            curator.start();
            return curator;
        } catch (IllegalArgumentException malformed) {
            throw new StoreMisconfiguredException(
                    "the servers '" + address.servers() + "' are not an address of ZooKeeper", malformed);
        }
    }
}
