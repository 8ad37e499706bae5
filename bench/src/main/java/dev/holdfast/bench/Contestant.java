package dev.holdfast.bench;

/** One way of locking, as the benchmark sees it. Thread-safe. */
@FunctionalInterface
interface Contestant {
    /** Takes the lock, does the work, gives the lock back. */
    void locked(Runnable work) throws InterruptedException;
}
