package dev.holdfast;

/**
 * A pair of locks on one name: many readers or one writer. There is no upgrade from read to write: release the read
 * lease first. Thread-safe.
 */
public interface DistributedReadWriteLock {
    /** {@return the lock that many may hold at once} */
    DistributedLock readLock();

    /** {@return the lock that one may hold, without readers} */
    DistributedLock writeLock();
}
