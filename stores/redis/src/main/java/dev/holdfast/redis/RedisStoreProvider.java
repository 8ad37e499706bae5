package dev.holdfast.redis;

import dev.holdfast.redis.lock.RedisStore;
import dev.holdfast.redis.topology.ClusterDeployment;
import dev.holdfast.redis.topology.Deployment;
import dev.holdfast.redis.topology.MemberThreads;
import dev.holdfast.redis.topology.OneServer;
import dev.holdfast.redis.topology.SentinelDeployment;
import dev.holdfast.redis.topology.Sentinels;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.PooledServer;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Opens {@code redis://}, {@code redis+sentinel://} and {@code redis+cluster://}, and with {@code rediss} the same over
 * TLS. Thread-safe.
 */
public final class RedisStoreProvider implements StoreProvider {

    /** Made by {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {}

    @Override
    public Set<String> schemes() {
        Set<String> schemes = new HashSet<>();
        for (Address.Kind kind : EnumSet.complementOf(EnumSet.of(Address.Kind.REDLOCK))) {
            schemes.add(kind.scheme());
            schemes.add(kind.encryptedScheme());
        }
        return Set.copyOf(schemes);
    }

    @Override
    public Set<String> options() {
        Set<String> options = new HashSet<>(Settings.OPTIONS);
        options.addAll(ConnectionSettings.OPTIONS);
        options.addAll(ConnectionSettings.SENTINEL_OPTIONS);
        options.add(ConnectionSettings.ADDRESS_MAP);
        return Set.copyOf(options);
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        return open(uri, Access.BY_URL, context);
    }

    static LockStore open(StoreUri uri, Access access, StoreContext context) {
        Address address = Address.of(uri);
        Settings settings = Settings.of(uri, context);
        ConnectionSettings connections = ConnectionSettings.of(address, settings, uri, access);
        OverdueWatch watch = new OverdueWatch(context, connections.lookInterval());
        MemberThreads threads = new MemberThreads(context.clientName());
        Clocks clocks = new Clocks(context.clock());
        Function<HostAndPort, Server> servers =
                host -> new PooledServer(host, connections, context.clock(), clocks, watch);
        Deployment deployment = switch (address.kind()) {
            case ONE -> new OneServer(servers.apply(address.hosts().get(0)));
            case SENTINEL -> {
                ConnectionSettings apart = connections.forSentinels(uri, access);
                List<Server> sentinels = address.hosts().stream()
                        .<Server>map(host -> new PooledServer(host, apart, context.clock(), clocks, watch))
                        .toList();
                yield new SentinelDeployment(
                        new Sentinels(sentinels, address.master(), threads),
                        connections,
                        (host, guard) -> new PooledServer(host, connections, context.clock(), clocks, watch, guard),
                        context.clock());
            }
            case CLUSTER ->
                new ClusterDeployment(
                        address::hosts, servers, threads, settings.timeout(), context.clock(), context.random());
            case REDLOCK -> throw new IllegalArgumentException("not a scheme of this provider");
        };
        return RedisStore.open(context, settings, deployment, clocks, threads, watch::close);
    }
}
