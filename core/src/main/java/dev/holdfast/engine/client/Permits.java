package dev.holdfast.engine.client;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import java.util.function.IntFunction;

/**
 * Permits under one name.
 *
 * @param name the name
 * @param capacity how many there are
 * @param locks makes a lock for a number of them
 */
record Permits(String name, int capacity, IntFunction<DistributedLock> locks) implements DistributedSemaphore {
    @Override
    public DistributedLock permits(int count) {
        if (count < 1 || count > capacity) {
            throw new IllegalArgumentException("'" + name + "' has " + capacity
                    + " permits, so from 1 to that many can be asked for, but it was " + count);
        }
        return locks.apply(count);
    }
}
