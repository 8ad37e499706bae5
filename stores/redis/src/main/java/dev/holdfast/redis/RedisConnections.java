package dev.holdfast.redis;

import dev.holdfast.Credentials;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.redlock.NodeAccess;
import dev.holdfast.redis.redlock.RedlockSettings;
import dev.holdfast.redis.redlock.RedlockStore;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.Encryption;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/**
 * Where Redis is and how to connect to it: what a URL says, and what it cannot say. The connections are Holdfast's own.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder()
 *         .store(RedisStores.at("rediss+sentinel://one:26379,two:26379/main").withCredentials(vault::redisLogin))
 *         .build();
 * }</pre>
 *
 * <p>Immutable; every {@code with…} method returns a changed copy. Secrets do not show in {@link #toString()}.
 */
public final class RedisConnections implements StoreFactory {
    private final String url;
    private final Map<String, String> options;
    private final Access access;

    private RedisConnections(String url, Map<String, String> options, Access access) {
        this.url = url;
        this.options = Map.copyOf(options);
        this.access = access;
    }

    static RedisConnections of(String url, Access access) {
        RedisConnections made = new RedisConnections(Objects.requireNonNull(url, "url"), Map.of(), access);
        made.uri();
        return made;
    }

    /**
     * Sets an option, as a URL has it after {@code #}.
     *
     * @param name the option
     * @param value its value
     * @return the changed copy
     * @throws StoreMisconfiguredException if there is no such option, or it is set already
     */
    public RedisConnections withOption(String name, String value) {
        Map<String, String> more = new HashMap<>(options);
        if (more.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value")) != null) {
            throw new StoreMisconfiguredException("the option '" + name + "' is given twice");
        }
        RedisConnections changed = new RedisConnections(url, more, access);
        changed.uri();
        return changed;
    }

    /**
     * Sets who logs in at the servers. It is asked at each new connection, so that a password or token may change while the
     * client runs; connections that are open stay so. It is asked on a thread of its own, perhaps on several at once, and should
     * answer from memory. If it throws, or does not answer within the command timeout (for a node of a quorum: within 250 ms or
     * the node timeout), it is interrupted and there is no connection. It is asked again for the next one.
     *
     * @param supplier tells the credentials of this moment
     * @return the changed copy
     */
    public RedisConnections withCredentials(Supplier<Credentials> supplier) {
        Objects.requireNonNull(supplier, "supplier");
        return new RedisConnections(url, options, access.withCredentials(supplier::get));
    }

    /**
     * Sets who logs in at the sentinels, in the same way.
     *
     * @param supplier tells the credentials of this moment
     * @return the changed copy
     */
    public RedisConnections withSentinelCredentials(Supplier<Credentials> supplier) {
        Objects.requireNonNull(supplier, "supplier");
        return new RedisConnections(url, options, access.withSentinelCredentials(supplier::get));
    }

    /**
     * Sets whom to trust and how to prove who we are, instead of by files. The URL must be one for TLS. Certificates still
     * have to be for the host.
     *
     * @param context makes the encrypted connections
     * @return the changed copy
     */
    public RedisConnections withTls(SSLContext context) {
        return new RedisConnections(
                url, options, access.withEncryption(Encryption.by(Objects.requireNonNull(context, "context"), true)));
    }

    /**
     * Sets where servers are reached that sentinels or members of a cluster know by another address, such as that of a
     * container. It is also asked about the addresses of the URL, on a thread of its own and within the same time as
     * {@linkplain #withCredentials credentials}.
     *
     * @param mapping gets the address that was told, not resolved, and answers with the one to connect to
     * @return the changed copy
     */
    public RedisConnections withAddresses(UnaryOperator<InetSocketAddress> mapping) {
        Objects.requireNonNull(mapping, "mapping");
        return new RedisConnections(url, options, access.withMapping(told -> {
            InetSocketAddress real = mapping.apply(InetSocketAddress.createUnresolved(told.host(), told.port()));
            return new HostAndPort(real.getHostString(), real.getPort());
        }));
    }

    @Override
    public LockStore open(StoreContext context) {
        StoreUri uri = uri();
        return isQuorum(uri) ? RedlockStore.open(uri, access, context) : RedisStoreProvider.open(uri, access, context);
    }

    static LockStore open(List<RedisConnections> nodes, Map<String, String> options, StoreContext context) {
        List<NodeAccess> reached = nodes.stream().map(RedisConnections::asNode).toList();
        Address.checkNodes(reached.stream().map(NodeAccess::host).toList(), "a quorum");
        StoreUri common = StoreUri.parse(Address.Kind.REDLOCK.scheme() + "://nodes", options, null);
        checkOptions(common);
        return RedlockStore.open(reached, RedlockSettings.of(common, context), context);
    }

    private NodeAccess asNode() {
        StoreUri uri = uri();
        Address address = Address.of(uri);
        if (address.kind() != Address.Kind.ONE) {
            throw new StoreMisconfiguredException(uri + " cannot be a node of a quorum, which is one server");
        }
        return new NodeAccess(address.hosts().get(0), address, uri, access);
    }

    private StoreUri uri() {
        StoreUri uri = StoreUri.parse(url, options, null);
        checkOptions(uri);
        return uri;
    }

    private static boolean isQuorum(StoreUri uri) {
        return new RedlockStoreProvider().schemes().contains(uri.scheme());
    }

    private static void checkOptions(StoreUri uri) {
        TreeSet<String> known =
                new TreeSet<>(isQuorum(uri) ? RedlockSettings.OPTIONS : new RedisStoreProvider().options());
        for (String option : uri.options().keySet()) {
            if (!known.contains(option)) {
                throw new StoreMisconfiguredException(
                        "'" + uri.scheme() + "' has no option '" + option + "'; it has " + known);
            }
        }
    }

    @Override
    public String toString() {
        return uri().toString();
    }
}
