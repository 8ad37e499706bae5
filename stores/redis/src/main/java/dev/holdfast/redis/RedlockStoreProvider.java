package dev.holdfast.redis;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import redis.clients.jedis.HostAndPort;

/** Opens {@code redlock://}, and {@code redlock+tls://} over TLS. Thread-safe. */
public final class RedlockStoreProvider implements StoreProvider {

    /** Made by {@link java.util.ServiceLoader}. */
    public RedlockStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(Address.Kind.REDLOCK.scheme(), Address.Kind.REDLOCK.encryptedScheme());
    }

    @Override
    public Set<String> options() {
        return RedlockSettings.OPTIONS;
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        return open(uri, context, RedlockRules.sound());
    }

    static RedlockStore open(StoreUri uri, StoreContext context, RedlockRules rules) {
        JedisVersion.check();
        Address address = Address.of(uri);
        RedlockSettings settings = RedlockSettings.of(uri, context);
        String authority = uri.option(ConnectionSettings.AUTHORITY).orElse(null);
        ConnectionSettings asking = ConnectionSettings.of(address, settings.forAsking(address.tls()), authority);
        ConnectionSettings background = ConnectionSettings.of(address, settings.forBackground(), authority);
        OverdueWatch watch = new OverdueWatch(context, background.lookInterval());
        Clocks clocks = new Clocks(context.clock());
        List<Node> nodes = new ArrayList<>();
        for (HostAndPort host : address.hosts()) {
            PooledServer quick = new PooledServer(host, asking, context.clock(), clocks, watch);
            PooledServer patient = new PooledServer(host, background, context.clock(), clocks, watch);
            nodes.add(new Node(nodes.size(), quick::dial, patient, context));
        }
        return RedlockStore.open(new Nodes(nodes, context, settings), settings, rules, watch::close);
    }
}
