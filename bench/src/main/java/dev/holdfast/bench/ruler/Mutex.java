package dev.holdfast.bench.ruler;

import java.util.concurrent.locks.Lock;

/** One thread's hold on a lock. Used by the thread it was made for. */
interface Mutex {
    void lock() throws InterruptedException;

    void unlock();

    /** Wraps what most peers have. */
    static Mutex of(Lock lock) {
        return new Mutex() {
            @Override
            public void lock() {
                lock.lock();
            }

            @Override
            public void unlock() {
                lock.unlock();
            }
        };
    }
}
