package dev.holdfast.simulation;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import java.util.List;

/**
 * A lock that the workload uses.
 *
 * @param kind how it is taken
 * @param names its names
 * @param units how many units of each name it takes, where it is a semaphore
 * @param capacity how many there are, where it is a semaphore
 */
record Spot(Kind kind, List<String> names, int units, int capacity) {

    /** How a lock is taken. */
    enum Kind {
        EXCLUSIVE,
        ALL,
        READ,
        WRITE,
        PERMITS
    }

    static Spot exclusive(String name) {
        return new Spot(Kind.EXCLUSIVE, List.of(name), 1, 1);
    }

    static Spot all(String... names) {
        return new Spot(Kind.ALL, List.of(names), 1, 1);
    }

    static Spot read(String name) {
        return new Spot(Kind.READ, List.of(name), 1, 1);
    }

    static Spot write(String name) {
        return new Spot(Kind.WRITE, List.of(name), 1, 1);
    }

    static Spot permits(String name, int units, int capacity) {
        return new Spot(Kind.PERMITS, List.of(name), units, capacity);
    }

    DistributedLock at(Holdfast locks, LockOptions options) {
        return switch (kind) {
            case EXCLUSIVE -> locks.lock(names.get(0), options);
            case ALL -> locks.all(names, options);
            case READ -> locks.readWriteLock(names.get(0), options).readLock();
            case WRITE -> locks.readWriteLock(names.get(0), options).writeLock();
            case PERMITS -> locks.semaphore(names.get(0), capacity, options).permits(units);
        };
    }

    /** The names, as the library describes a claim for them. */
    String key() {
        return String.join(",", names);
    }

    @Override
    public String toString() {
        return kind + " " + key() + (kind == Kind.PERMITS ? " " + units + "/" + capacity : "");
    }
}
