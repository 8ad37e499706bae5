package dev.holdfast.engine;

/** Something that is due at a moment. Stands in at most one place of one {@link Timeline}. */
public abstract class Timed {
    /** When it is due; guarded by the timeline. */
    long dueNanos;

    /** Breaks ties in order of scheduling; guarded by the timeline. */
    long order;

    /** Its place in the timeline's heap, or -1; guarded by the timeline. */
    int place = -1;

    /**
     * Runs when due, on the timeline's thread. Must not block, do I/O or run user code, and must look again whether it
     * is still time: it may have been cancelled or postponed a moment ago.
     */
    public abstract void onDue();
}
