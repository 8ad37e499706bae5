package dev.holdfast.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks once a second for forgotten leases, for gates out of use, and for time that passed while the monotonic clock
 * stood still.
 */
final class Janitor extends Timed {
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Clock discipline may move the time of day by a little less than this in a second. */
    private static final long SUSPICIOUS_JUMP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Engine engine;
    private final LongSupplier wallAheadNanos;

    /** Used by the timeline's thread only. */
    private long lastAheadNanos;

    Janitor(Engine engine, LongSupplier wallAheadNanos) {
        this.engine = engine;
        this.wallAheadNanos = wallAheadNanos;
        this.lastAheadNanos = wallAheadNanos.getAsLong();
    }

    void start() {
        engine.timeline.schedule(this, engine.now() + ROUND_NANOS);
    }

    @Override
    public void onDue() {
        if (engine.isClosed()) {
            return;
        }
        try {
            look();
        } finally {
            start();
        }
    }

    private void look() {
        long ahead = wallAheadNanos.getAsLong();
        long jump = ahead - lastAheadNanos;
        lastAheadNanos = ahead;
        if (jump > SUSPICIOUS_JUMP_NANOS) {
            engine.timeJumped(jump);
        }
        engine.releaseForgotten();
        engine.gates.sweep();
    }
}
