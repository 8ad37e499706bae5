package dev.holdfast.bench.ruler;

import java.util.List;

/** One client of one maker's locks. Thread-safe. */
interface Locks extends AutoCloseable {
    /** Makes the lock of a name for the calling thread. */
    Mutex mutex(String name);

    /** Makes a lock of several names for the calling thread. Who has none takes them one after another. */
    default Mutex all(List<String> names) {
        List<Mutex> each = names.stream().map(this::mutex).toList();
        return new Mutex() {
            @Override
            public void lock() throws InterruptedException {
                for (Mutex mutex : each) {
                    mutex.lock();
                }
            }

            @Override
            public void unlock() {
                for (int i = each.size() - 1; i >= 0; i--) {
                    each.get(i).unlock();
                }
            }
        };
    }

    /** Takes a lock and returns what its user has to keep until it is given back. */
    default Object hold(String name) throws InterruptedException {
        Mutex mutex = mutex(name);
        mutex.lock();
        return mutex;
    }

    /** How many threads may hold locks of different names at the same time without being in each other's way. */
    default int threadsForManyNames() {
        return 16;
    }

    @Override
    void close();
}
