package dev.holdfast.spi;

import dev.holdfast.LockKind;
import java.time.Duration;
import java.util.List;

/**
 * A request for units of one or more names, all or nothing.
 *
 * @param parts what is asked for, sorted by name, no name twice
 * @param owner whose it is; the same for every attempt of one claim
 * @param lease how long the store keeps a grant without a renewal
 * @param holder what people see of the holder
 * @param queue whether to stay in line when the claim does not fit now
 */
public record Claim(List<Part> parts, OwnerId owner, Duration lease, HolderInfo holder, boolean queue) {

    /** The capacity of a read/write name: a reader takes one unit, a writer all. */
    public static final int MANY = 1 << 30;

    /** Copies the list. */
    public Claim {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a claim needs at least one part");
        }
    }

    /**
     * Changes whether to stay in line.
     *
     * @param stay true to stay
     * @return the same claim otherwise, of the same owner
     */
    public Claim queued(boolean stay) {
        return stay == queue ? this : new Claim(parts, owner, lease, holder, stay);
    }

    /** {@return the names, for messages} */
    public String describe() {
        return parts.size() == 1
                ? parts.get(0).name()
                : String.join(",", parts.stream().map(Part::name).toList());
    }

    /**
     * What is asked of one name.
     *
     * @param name the name
     * @param kind what the name is used as
     * @param units how many units are asked for
     * @param capacity how many there are in all
     */
    public record Part(String name, LockKind kind, int units, int capacity) {
        /** Checks that the units fit the capacity. */
        public Part {
            if (units < 1 || units > capacity) {
                throw new IllegalArgumentException(
                        "'" + name + "': units must be from 1 to the capacity " + capacity + ", but were " + units);
            }
        }

        /** {@return whether nobody else fits beside this claim} */
        public boolean exclusive() {
            return units == capacity;
        }
    }

    /**
     * What people see of a holder or waiter.
     *
     * @param clientName the client
     * @param label the note from the lock's options
     */
    public record HolderInfo(String clientName, String label) {}
}
