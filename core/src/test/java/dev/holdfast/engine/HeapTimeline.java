package dev.holdfast.engine;

/**
 * A timeline on which nothing happens until a test takes it from the heap. Not thread-safe.
 *
 * @param heap what waits for its time
 */
public record HeapTimeline(TimedHeap heap) implements Timeline {
    @Override
    public void schedule(Timed timed, long dueNanos) {
        heap.put(timed, dueNanos);
    }

    @Override
    public void cancel(Timed timed) {
        heap.remove(timed);
    }
}
