package dev.holdfast.simulation;

import dev.holdfast.spi.MonotonicClock;

/** A machine's clock: true time with an offset and a constant drift. */
final class SkewedClock implements MonotonicClock {
    private static final long MILLION = 1_000_000;

    /** Beyond this, things are "never" as far as one history is concerned. */
    private static final long HORIZON_NANOS = 3_600_000_000_000L;

    private final World world;
    private final long offsetNanos;
    private final long driftPpm;

    SkewedClock(World world, long offsetNanos, long driftPpm) {
        this.world = world;
        this.offsetNanos = offsetNanos;
        this.driftPpm = driftPpm;
    }

    @Override
    public long nanos() {
        return read(world.now());
    }

    /** What the clock shows at a moment of true time. */
    long read(long trueNanos) {
        return offsetNanos + trueNanos + Math.floorDiv(trueNanos * driftPpm, MILLION);
    }

    /** The first moment of true time at which the clock shows a reading, or later. */
    long whenShows(long reading) {
        long elapsed = reading - offsetNanos;
        if (elapsed <= 0) {
            return 0;
        }
        if (elapsed > HORIZON_NANOS) {
            return Long.MAX_VALUE;
        }
        long guess = elapsed * MILLION / (MILLION + driftPpm);
        while (read(guess) >= reading) {
            guess--;
        }
        while (read(guess) < reading) {
            guess++;
        }
        return guess;
    }

    /** How much true time passes at most while the clock counts a span. */
    long longest(long span) {
        return span * MILLION / (MILLION + driftPpm) + 1;
    }

    @Override
    public String toString() {
        return "offset " + offsetNanos + " ns, drift " + driftPpm + " ppm";
    }
}
