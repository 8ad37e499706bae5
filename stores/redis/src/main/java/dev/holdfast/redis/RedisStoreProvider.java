package dev.holdfast.redis;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.util.HashSet;
import java.util.Set;

/**
 * Opens {@code redis://}, {@code redis+sentinel://} and {@code redis+cluster://}, and with {@code rediss} the same over
 * TLS.
 */
public final class RedisStoreProvider implements StoreProvider {

    /** Made by {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {}

    @Override
    public Set<String> schemes() {
        Set<String> schemes = new HashSet<>();
        for (Address.Kind kind : Address.Kind.values()) {
            schemes.add(kind.scheme());
            schemes.add(kind.encryptedScheme());
        }
        return Set.copyOf(schemes);
    }

    @Override
    public Set<String> options() {
        Set<String> options = new HashSet<>(Settings.OPTIONS);
        options.add(ConnectionSettings.AUTHORITY);
        return Set.copyOf(options);
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        Address address = Address.of(uri);
        Settings settings = Settings.of(uri, context);
        ConnectionSettings connections = ConnectionSettings.of(
                address, settings, uri.option(ConnectionSettings.AUTHORITY).orElse(null));
        OverdueWatch watch = new OverdueWatch(context, connections.lookInterval());
        Deployment deployment = switch (address.kind()) {
            case ONE ->
                new OneServer(new PooledServer(address.hosts().get(0), connections, context.clock(), watch));
            case SENTINEL, CLUSTER -> throw new UnsupportedOperationException();
        };
        return RedisStore.open(context, settings, deployment, watch::close);
    }
}
