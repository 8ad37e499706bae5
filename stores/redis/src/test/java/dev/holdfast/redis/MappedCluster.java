package dev.holdfast.redis;

import dev.holdfast.StoreFactory;
import dev.holdfast.redis.lock.RedisStore;
import dev.holdfast.redis.topology.ClusterDeployment;
import dev.holdfast.redis.topology.MemberThreads;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.PooledServer;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A cluster with a network before each member. Members tell each other's own addresses, so whoever is to go through the
 * networks has to replace each address by that of its network. Thread-safe.
 */
final class MappedCluster {
    private final RedisCluster cluster;
    private final Map<Integer, FaultProxy> networks = new LinkedHashMap<>();

    MappedCluster(Rig rig, RedisCluster cluster) {
        this.cluster = cluster;
        for (RedisNode node : cluster.nodes()) {
            networks.put(node.port(), FaultProxy.before(rig, node.port()));
        }
    }

    RedisCluster cluster() {
        return cluster;
    }

    FaultProxy network(RedisNode node) {
        return Objects.requireNonNull(networks.get(node.port()));
    }

    /** {@return what opens a store whose connections all go through the networks} */
    StoreFactory stores() {
        return this::open;
    }

    private LockStore open(StoreContext context) {
        StoreUri uri = StoreUri.parse(cluster.url(), Map.of(), null);
        Address address = Address.of(uri);
        Settings settings = Settings.of(uri, context);
        ConnectionSettings connections = ConnectionSettings.of(address, settings, uri, Access.BY_URL);
        OverdueWatch watch = new OverdueWatch(context, connections.lookInterval());
        MemberThreads threads = new MemberThreads(context.clientName());
        Clocks clocks = new Clocks(context.clock());
        Function<HostAndPort, HostAndPort> network = member -> new HostAndPort(
                member.host(),
                Objects.requireNonNull(networks.get(member.port())).port());
        ClusterDeployment deployment = new ClusterDeployment(
                address::hosts,
                member -> new PooledServer(network.apply(member), connections, context.clock(), clocks, watch),
                threads,
                settings.timeout(),
                context.clock(),
                context.random());
        return RedisStore.open(context, settings, deployment, clocks, threads, watch::close);
    }
}
