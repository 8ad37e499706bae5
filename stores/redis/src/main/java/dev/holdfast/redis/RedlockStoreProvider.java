package dev.holdfast.redis;

import dev.holdfast.redis.redlock.RedlockSettings;
import dev.holdfast.redis.redlock.RedlockStore;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.util.Set;

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
        return RedlockStore.open(uri, Access.BY_URL, context);
    }
}
