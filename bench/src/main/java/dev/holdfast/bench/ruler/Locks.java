package dev.holdfast.bench.ruler;

/** One client of one maker's locks. Thread-safe. */
interface Locks extends AutoCloseable {
    /** Makes the lock of a name for the calling thread. */
    Mutex mutex(String name);

    @Override
    void close();
}
