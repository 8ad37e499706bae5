package dev.holdfast.engine;

import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a grant ends, by the client's clock and on the safe side: counted from a moment before the store counted, and
 * shortened by 1 % for clocks that run at different speeds and 2 ms for their grain.
 */
final class Deadline {
    private static final int DRIFT_DIVISOR = 100;
    private static final long GRAIN_NANOS = 2_000_000;

    private Deadline() {}

    /** The deadline for time that the store counts; {@code Long.MAX_VALUE} where a session decides. */
    static long of(long anchorNanos, @Nullable Duration validFor) {
        if (validFor == null) {
            return Long.MAX_VALUE;
        }
        long nanos = validFor.toNanos();
        return anchorNanos + nanos - nanos / DRIFT_DIVISOR - GRAIN_NANOS;
    }

    /** The earliest deadline of several grants. */
    static long of(long anchorNanos, List<Grant> grants) {
        long earliest = Long.MAX_VALUE;
        for (int i = 0; i < grants.size(); i++) {
            earliest = Math.min(earliest, of(anchorNanos, grants.get(i).validFor()));
        }
        return earliest;
    }
}
