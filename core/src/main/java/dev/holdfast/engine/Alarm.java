package dev.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * Rings when something about a tenure is due. A gate uses one alarm for one tenure after another and leaves it set
 * between them: an alarm that rings too early is set anew, which is cheaper than setting and clearing it for each lease.
 * Guarded by its gate.
 */
final class Alarm extends Timed {
    private final Gate gate;

    /** What it rings for; null between tenures. */
    private @Nullable Tenure tenure;

    /** When it will ring, at the latest. */
    private long setForNanos = Long.MAX_VALUE;

    Alarm(Gate gate) {
        this.gate = gate;
    }

    void watch(Tenure next) {
        tenure = next;
    }

    void unwatch() {
        tenure = null;
    }

    /** Sees to it that it rings by a moment. */
    void setFor(long nanos) {
        if (nanos < setForNanos) {
            setForNanos = nanos;
            gate.engine().timeline().schedule(this, nanos);
        }
    }

    void clear() {
        tenure = null;
        setForNanos = Long.MAX_VALUE;
        gate.engine().timeline().cancel(this);
    }

    /** It has rung: returns what for, if there is still something. Called with the gate's monitor held. */
    @Nullable
    Tenure answer() {
        setForNanos = Long.MAX_VALUE;
        return tenure;
    }

    @Override
    public void onDue() {
        gate.tenancy().rung(this);
    }
}
