package dev.holdfast.simulation;

import dev.holdfast.engine.Timed;
import dev.holdfast.engine.TimedHeap;
import dev.holdfast.engine.Timeline;

/**
 * The engine's timeline on virtual time, driven by the simulator. Not thread-safe.
 */
final class VirtualTimeline implements Timeline {
    private final TimedHeap heap = new TimedHeap();

    @Override
    public void schedule(Timed timed, long dueNanos) {
        heap.put(timed, dueNanos);
    }

    @Override
    public void cancel(Timed timed) {
        heap.remove(timed);
    }

    /** {@return when the first thing is due by the client's clock, or {@code Long.MAX_VALUE}} */
    public long firstDueNanos() {
        return heap.firstDueNanos();
    }

    /** {@return how many things are scheduled} */
    public int size() {
        return heap.size();
    }

    /** {@return what is due first, for the event log} */
    public String describeFirst() {
        Timed first = heap.first();
        return first == null ? "nothing" : first.getClass().getSimpleName();
    }

    /** Takes the first thing off and lets it happen. */
    public void runFirst() {
        Timed first = heap.first();
        if (first != null) {
            heap.remove(first);
            first.onDue();
        }
    }
}
