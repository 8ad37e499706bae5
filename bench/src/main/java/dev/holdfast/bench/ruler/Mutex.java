package dev.holdfast.bench.ruler;

/** One thread's hold on a lock. Used by the thread it was made for. */
interface Mutex {
    void lock() throws InterruptedException;

    void unlock();
}
