package dev.holdfast.torture.worker;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits.Promise;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What a worker asks for: units of one or more names.
 *
 * @param kind one of x (exclusive), all, read, write, permits
 * @param names what is locked
 * @param units how many
 * @param capacity of how many
 */
record Spot(String kind, List<String> names, int units, int capacity) {
    /** As {@link dev.holdfast.spi.Claim#MANY}. */
    static final int MANY = 1 << 30;

    private static final int EXCLUSIVE_NAMES = 4;
    private static final int PERMITS = 3;

    /** Draws one that the store can carry. */
    static Spot draw(Random random, String prefix, Holdfast client) {
        int roll = random.nextInt(100);
        if (roll < 15 && client.traits().promises(Promise.READ_WRITE)) {
            boolean write = random.nextInt(4) == 0;
            return new Spot(write ? "write" : "read", List.of(prefix + "rw"), write ? MANY : 1, MANY);
        }
        if (roll >= 15 && roll < 27 && client.traits().promises(Promise.SEMAPHORE)) {
            return new Spot("permits", List.of(prefix + "sem"), 1 + random.nextInt(2), PERMITS);
        }
        if (roll >= 27 && roll < 37 && client.traits().promises(Promise.SEVERAL_NAMES)) {
            int first = random.nextInt(EXCLUSIVE_NAMES);
            int second = (first + 1 + random.nextInt(EXCLUSIVE_NAMES - 1)) % EXCLUSIVE_NAMES;
            // Sorted, because that is how grants are told.
            List<String> names =
                    List.of(prefix + "x" + Math.min(first, second), prefix + "x" + Math.max(first, second));
            return new Spot("all", names, 1, 1);
        }
        // Some names are hotter than others: a waiter alone and a long line are different paths.
        int name = Math.min(random.nextInt(EXCLUSIVE_NAMES + 2), EXCLUSIVE_NAMES - 1);
        return new Spot("x", List.of(prefix + "x" + name), 1, 1);
    }

    boolean exclusive() {
        return units == capacity;
    }

    DistributedLock lock(Holdfast client, LockOptions options) {
        return switch (kind) {
            case "read" -> client.readWriteLock(names.get(0), options).readLock();
            case "write" -> client.readWriteLock(names.get(0), options).writeLock();
            case "permits" -> client.semaphore(names.get(0), capacity, options).permits(units);
            case "all" -> client.all(names, options);
            default -> client.lock(names.get(0), options);
        };
    }

    /** For the history. */
    String joined() {
        return names.stream().collect(Collectors.joining(","));
    }
}
