package dev.holdfast.engine;

import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a grant ends, by the client's clock and on the safe side: counted from a moment before the store counted, and
 * shortened by 1 % for clocks that run at different speeds, by 2 ms for their grain, and by the time that passed unseen
 * since that moment, as when the machine was suspended and its monotonic clock stood still. Thread-safe.
 */
final class Deadlines {
    private static final int DRIFT_DIVISOR = 100;
    private static final long GRAIN_NANOS = 2_000_000;
    private static final int MOST_JUMPS = 64;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private volatile List<Jump> jumps = List.of();

    private record Jump(long noticedNanos, long byNanos) {}

    /** Time has passed unseen before a reading of the clock. */
    synchronized void timeJumped(long noticedNanos, long byNanos) {
        List<Jump> next = new ArrayList<>(jumps);
        if (next.size() == MOST_JUMPS) {
            // Two become one, on the safe side.
            Jump first = next.remove(0);
            next.set(0, new Jump(next.get(0).noticedNanos, first.byNanos + next.get(0).byNanos));
        }
        next.add(new Jump(noticedNanos, byNanos));
        jumps = next;
    }

    /** The deadline for time that the store counts; {@code Long.MAX_VALUE} where a session decides. */
    long of(long anchorNanos, @Nullable Duration validFor) {
        if (validFor == null) {
            return Long.MAX_VALUE;
        }
        long nanos = nanos(validFor);
        return anchorNanos + nanos - nanos / DRIFT_DIVISOR - GRAIN_NANOS - unseenSince(anchorNanos);
    }

    /** A time that a store tells, however long, as nanoseconds that can be counted with. */
    static long nanos(Duration told) {
        if (told.isNegative()) {
            return 0;
        }
        return told.compareTo(LONGEST) < 0 ? told.toNanos() : LONGEST.toNanos();
    }

    /** The earliest deadline of several grants. */
    long of(long anchorNanos, List<Grant> grants) {
        long earliest = Long.MAX_VALUE;
        for (int i = 0; i < grants.size(); i++) {
            earliest = Math.min(earliest, of(anchorNanos, grants.get(i).validFor()));
        }
        return earliest;
    }

    private long unseenSince(long nanos) {
        long unseen = 0;
        for (Jump jump : jumps) {
            if (jump.noticedNanos >= nanos) {
                unseen += jump.byNanos;
            }
        }
        return unseen;
    }
}
