package dev.holdfast.store.memory;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.util.Set;

/** Opens {@code memory:} (private to the client) and {@code memory:NAME} (shared by that name in this process). */
public final class MemoryStoreProvider implements StoreProvider {

    /** Made by {@link java.util.ServiceLoader}. */
    public MemoryStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public Set<String> options() {
        return Set.of();
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        return uri.path().isEmpty()
                ? new MemoryStore(new SharedMemory(""), context)
                : new MemoryStore(SharedMemory.named(uri.path()), context);
    }
}
