package dev.holdfast.redis.redlock;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What a client proposes as the next epoch, so that all nodes answer the same and one round is enough: a number that is
 * probably larger than every counter of every node. It is the client's wall clock, put forward by as much as any epoch was
 * seen to be ahead of it. The order of epochs does not depend on it: a hint that is too small costs a second round, and one
 * that is too large is capped by the nodes. Thread-safe.
 */
final class Hints {
    private static final Instant ORIGIN = Instant.parse("2025-01-01T00:00:00Z");

    /** A larger lead comes from a clock that is wrong, and is not passed on. */
    private static final long LONGEST_LEAD_MICROS = 1_800_000_000L;

    private final LongSupplier wallMicros;
    private final AtomicLong leadMicros = new AtomicLong();

    Hints(LongSupplier wallMicros) {
        this.wallMicros = wallMicros;
    }

    static Hints byTheClock() {
        return new Hints(() -> ChronoUnit.MICROS.between(ORIGIN, Instant.now()));
    }

    long next() {
        return Math.max(0, wallMicros.getAsLong() + leadMicros.get() + 1);
    }

    /** Learns from an epoch or a floor that some node has told. */
    void saw(long epoch) {
        long ahead = epoch - wallMicros.getAsLong();
        if (ahead > leadMicros.get() && ahead <= LONGEST_LEAD_MICROS) {
            leadMicros.accumulateAndGet(ahead, Math::max);
        }
    }
}
