package dev.holdfast.simulation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What will happen, by time and then by order of scheduling: a binary heap without the generality of the library's. */
final class EventQueue {
    private static final int FIRST_SIZE = 64;

    private @Nullable Event[] heap = new @Nullable Event[FIRST_SIZE];
    private int size;
    private long orders;

    /** Something that will happen at a moment of true time, to a client's process or (owner null) elsewhere. */
    static final class Event {
        final long at;
        final @Nullable Process owner;
        final Runnable action;
        private final long order;

        private Event(long at, long order, @Nullable Process owner, Runnable action) {
            this.at = at;
            this.order = order;
            this.owner = owner;
            this.action = action;
        }

        private boolean isBefore(Event other) {
            return at < other.at || (at == other.at && order < other.order);
        }
    }

    void add(long at, @Nullable Process owner, Runnable action) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        Event event = new Event(at, orders++, owner, action);
        int place = size++;
        while (place > 0) {
            Event above = get((place - 1) >>> 1);
            if (!event.isBefore(above)) {
                break;
            }
            heap[place] = above;
            place = (place - 1) >>> 1;
        }
        heap[place] = event;
    }

    /** {@return when the next event happens, or {@code Long.MAX_VALUE}} */
    long firstAt() {
        return size == 0 ? Long.MAX_VALUE : get(0).at;
    }

    /** Takes the next event; there must be one. */
    Event take() {
        Event first = get(0);
        Event last = get(--size);
        heap[size] = null;
        if (size > 0) {
            sink(last);
        }
        return first;
    }

    private void sink(Event event) {
        int place = 0;
        while (true) {
            int below = 2 * place + 1;
            if (below >= size) {
                break;
            }
            if (below + 1 < size && get(below + 1).isBefore(get(below))) {
                below++;
            }
            Event child = get(below);
            if (!child.isBefore(event)) {
                break;
            }
            heap[place] = child;
            place = below;
        }
        heap[place] = event;
    }

    private Event get(int place) {
        Event event = heap[place];
        if (event == null) {
            throw new IllegalStateException("the event queue is empty");
        }
        return event;
    }
}
