package dev.holdfast.zookeeper;

import dev.holdfast.LockKind;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/**
 * A place in the line of one name, as the name of its node tells it: {@code 1eq-UNITS-CAPACITY-OWNER-SEQUENCE}. All that
 * decides about grants is in the name, so that one list of children is enough to know who holds.
 *
 * @param node the node's name
 * @param kind what the name is used as
 * @param waits whether it stays in line when it does not fit at once
 * @param units how many it asks for
 * @param capacity of how many
 * @param owner whose it is: 32 hexadecimal digits, which are compared and not read, because a line is read often
 * @param order its place: the sequence number, or the time of its making where that number has reached its end
 */
record Ticket(String node, LockKind kind, boolean waits, int units, int capacity, String owner, long order) {
    /** The format of the nodes. */
    static final char VERSION = '1';

    /** A parent's counter stops at the largest number; from here on places are told by the time of their making. */
    static final int END_ZONE = Integer.MAX_VALUE - (1 << 20);

    private static final int RADIX = 16;
    private static final int OWNER_DIGITS = 32;
    private static final String KINDS = "ers";

    /** The node's name for a claim, up to the number that the server appends. */
    static String prefix(Claim claim, Claim.Part part) {
        return VERSION
                + KINDS.substring(part.kind().ordinal(), part.kind().ordinal() + 1)
                + (claim.queue() ? 'q' : 't')
                + '-'
                + Integer.toString(part.units(), RADIX)
                + '-'
                + Integer.toString(part.capacity(), RADIX)
                + '-'
                + claim.owner()
                + '-';
    }

    /**
     * Reads the name of a node.
     *
     * @return null if it is not a place in line
     * @throws StoreMisconfiguredException if it is one of a newer format
     */
    static @Nullable Ticket parse(String node) {
        if (node.length() < 4 || node.charAt(3) != '-') {
            return null;
        }
        if (node.charAt(0) != VERSION) {
            throw new StoreMisconfiguredException("the locks in ZooKeeper are in format " + node.charAt(0)
                    + ", which is newer than this release of Holdfast; update this program");
        }
        int kind = KINDS.indexOf(node.charAt(1));
        int afterUnits = node.indexOf('-', 4);
        int afterCapacity = node.indexOf('-', afterUnits + 1);
        int afterOwner = afterCapacity + 1 + OWNER_DIGITS;
        if (kind < 0 || afterUnits < 0 || afterCapacity < 0 || node.length() < afterOwner + 2) {
            return null;
        }
        try {
            return new Ticket(
                    node,
                    LockKind.values()[kind],
                    node.charAt(2) == 'q',
                    Integer.parseInt(node, 4, afterUnits, RADIX),
                    Integer.parseInt(node, afterUnits + 1, afterCapacity, RADIX),
                    node.substring(afterCapacity + 1, afterOwner),
                    Integer.parseInt(node, afterOwner + 1, node.length(), 10));
        } catch (IllegalArgumentException somethingElse) {
            return null;
        }
    }

    /** Whether the sequence number may not tell the order any more. */
    boolean isAtTheEnd() {
        return order >= END_ZONE || order < 0;
    }

    Ticket ordered(long time) {
        return new Ticket(node, kind, waits, units, capacity, owner, time);
    }

    boolean fits(Ticket other) {
        return kind == other.kind && capacity == other.capacity;
    }
}
