package dev.holdfast.torture.tokens;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A client whose store is asked step by step; the engine only lends its clock and threads. Thread-safe. */
final class TokenClient implements AutoCloseable {
    private final Holdfast client;
    private final LockStore store;

    private TokenClient(Holdfast client, LockStore store) {
        this.client = client;
        this.store = store;
    }

    static TokenClient connect(String url, Duration lease) {
        AtomicReference<@Nullable LockStore> opened = new AtomicReference<>();
        Holdfast client = Holdfast.builder()
                .store(context -> {
                    LockStore store = open(url, context);
                    opened.set(store);
                    return store;
                })
                .defaults(LockOptions.defaults().withLeaseTime(lease))
                .build();
        return new TokenClient(client, Objects.requireNonNull(opened.get(), "the store was opened"));
    }

    private static LockStore open(String url, StoreContext context) {
        StoreUri uri = StoreUri.parse(url, Map.of(), null);
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.schemes().contains(uri.scheme())) {
                return provider.open(uri, context);
            }
        }
        throw new IllegalArgumentException("no store opens " + uri);
    }

    LockStore store() {
        return store;
    }

    @Override
    public void close() {
        client.close();
    }
}
