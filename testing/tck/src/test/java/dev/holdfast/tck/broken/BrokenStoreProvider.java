package dev.holdfast.tck.broken;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import dev.holdfast.store.memory.MemoryStoreProvider;
import java.util.Map;
import java.util.Set;

/** Opens {@code tckbroken:DEFECT}, a store in memory with one thing wrong. */
public final class BrokenStoreProvider implements StoreProvider {

    /** Made by {@link java.util.ServiceLoader}. */
    public BrokenStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("tckbroken");
    }

    @Override
    public Set<String> options() {
        return Set.of();
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        Defect defect = Defect.of(uri.path());
        return new BrokenStore(defect, memory(uri.path(), context), memory(uri.path() + "-second", context));
    }

    private static LockStore memory(String name, StoreContext context) {
        return new MemoryStoreProvider().open(StoreUri.parse("memory:tckbroken-" + name, Map.of(), null), context);
    }
}
