package dev.holdfast.bench.ruler;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** The JDK's own locks, which know nothing of other processes. */
final class JdkLocks implements Locks {
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final boolean fair;

    JdkLocks(boolean fair) {
        this.fair = fair;
    }

    @Override
    public Mutex mutex(String name) {
        return Mutex.of(locks.computeIfAbsent(name, each -> new ReentrantLock(fair)));
    }

    @Override
    public void close() {
        locks.clear();
    }
}
