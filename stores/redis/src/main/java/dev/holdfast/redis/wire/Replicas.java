package dev.holdfast.redis.wire;

import java.time.Duration;

/**
 * How many replicas have to acknowledge a grant before it counts.
 *
 * @param count at least 1
 * @param patience how long to wait for them
 */
public record Replicas(int count, Duration patience) {
    byte[] countText() {
        return Keys.bytes(Integer.toString(count));
    }

    byte[] millisText() {
        return Keys.bytes(Long.toString(Math.max(1, patience.toMillis())));
    }

    /** {@return why a grant does not count} */
    public RuntimeException missing(int acknowledged) {
        return new IllegalStateException(acknowledged + " of the " + count + " replicas that have to acknowledge did so"
                + " within " + patience.toMillis() + " ms");
    }
}
