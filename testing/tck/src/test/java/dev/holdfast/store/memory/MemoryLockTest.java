package dev.holdfast.store.memory;

import dev.holdfast.tck.LockStoreContract;

/** Everything that a program sees, on the store in memory. */
final class MemoryLockTest extends LockStoreContract {
    @Override
    public String url() {
        return "memory:tck-locks";
    }
}
