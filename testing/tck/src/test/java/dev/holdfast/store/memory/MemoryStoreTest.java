package dev.holdfast.store.memory;

import dev.holdfast.tck.StoreContract;

/** The steps of the store in memory. */
final class MemoryStoreTest extends StoreContract {
    @Override
    public String url() {
        return "memory:tck-steps";
    }
}
