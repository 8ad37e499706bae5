package dev.holdfast.engine.client;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;

/**
 * Two locks on one name.
 *
 * @param readLock takes one unit
 * @param writeLock takes all
 */
record ReadWritePair(DistributedLock readLock, DistributedLock writeLock) implements DistributedReadWriteLock {}
