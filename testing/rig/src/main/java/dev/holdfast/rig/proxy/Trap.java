package dev.holdfast.rig.proxy;

import java.util.function.Predicate;

/**
 * What happens to the next few messages of one direction. A message is what arrives together, read as text; the ones that
 * do not match pass. Guarded by the monitor of {@link Faults}.
 */
final class Trap {
    /** What a trap does to a message that it catches. */
    enum Effect {
        /** The message waits until the proxy heals; so does everything behind it on its connection. */
        HOLD,
        /** The message is lost and its connection is reset. */
        RESET,
        /** The message passes, the first bytes that come back are lost, and then the connection is cut. */
        DROP_REPLY
    }

    private final Direction direction;
    private final Predicate<String> matching;
    private final Effect effect;
    private int left;

    Trap(Direction direction, int times, Predicate<String> matching, Effect effect) {
        if (times < 1) {
            throw new IllegalArgumentException("a fault has to happen at least once, not " + times + " times");
        }
        this.direction = direction;
        this.matching = matching;
        this.effect = effect;
        this.left = times;
    }

    boolean catches(Direction way, String message) {
        if (way != direction || !matching.test(message)) {
            return false;
        }
        left--;
        return true;
    }

    boolean isSpent() {
        return left == 0;
    }

    Effect effect() {
        return effect;
    }
}
