package dev.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * Rings when something about a grant is due. An exclusive gate uses one alarm for one grant after another and leaves it set
 * between them: an alarm that rings too early is set anew, which is cheaper than setting and clearing it for each lease.
 * Guarded by its gate.
 */
final class Alarm extends Timed {
    private final Gate gate;

    /** What it rings for; null between grants. */
    private @Nullable HeldGrant grant;

    /** When it will ring, at the latest. */
    private long setForNanos = Long.MAX_VALUE;

    Alarm(Gate gate) {
        this.gate = gate;
    }

    void watch(@Nullable HeldGrant next) {
        grant = next;
    }

    /** Sees to it that it rings by a moment. */
    void setFor(long nanos) {
        if (nanos < setForNanos) {
            gate.engine.timeline.schedule(this, nanos);
            setForNanos = nanos;
        }
    }

    void clear() {
        grant = null;
        setForNanos = Long.MAX_VALUE;
        gate.engine.timeline.cancel(this);
    }

    @Override
    public void onDue() {
        gate.step(after -> {
            setForNanos = Long.MAX_VALUE;
            if (grant != null) {
                grant.actOnDue(gate.engine.now(), after);
            }
        });
    }
}
