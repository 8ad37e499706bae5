package dev.holdfast.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap that knows the place of each element, so that taking one out is cheap. Not thread-safe. */
public final class TimedHeap {
    private static final int FIRST_SIZE = 16;

    private @Nullable Timed[] elements = new @Nullable Timed[FIRST_SIZE];
    private int size;
    private long orders;

    /** {@return the element that is due first, or null} */
    public @Nullable Timed first() {
        return elements[0];
    }

    /** {@return when the first element is due, or {@code Long.MAX_VALUE}} */
    public long firstDueNanos() {
        Timed first = elements[0];
        return first == null ? Long.MAX_VALUE : first.dueNanos;
    }

    /** {@return how many elements there are} */
    public int size() {
        return size;
    }

    /** Adds an element, or moves it. */
    public void put(Timed timed, long dueNanos) {
        timed.dueNanos = dueNanos;
        timed.order = orders++;
        if (timed.place < 0) {
            if (size == elements.length) {
                elements = Arrays.copyOf(elements, size * 2);
            }
            timed.place = size;
            elements[size++] = timed;
            rise(timed);
        } else {
            rise(timed);
            sink(timed);
        }
    }

    /** Takes an element out, if it is in. */
    public void remove(Timed timed) {
        int hole = timed.place;
        if (hole < 0) {
            return;
        }
        timed.place = -1;
        Timed last = elements[--size];
        elements[size] = null;
        if (last != null && last != timed) {
            last.place = hole;
            elements[hole] = last;
            rise(last);
            sink(last);
        }
    }

    private void rise(Timed timed) {
        int place = timed.place;
        while (place > 0) {
            int above = (place - 1) >>> 1;
            Timed parent = elements[above];
            if (parent == null || !isBefore(timed, parent)) {
                break;
            }
            set(place, parent);
            place = above;
        }
        set(place, timed);
    }

    private void sink(Timed timed) {
        int place = timed.place;
        while (true) {
            int below = 2 * place + 1;
            if (below >= size) {
                break;
            }
            Timed child = elements[below];
            Timed sibling = below + 1 < size ? elements[below + 1] : null;
            if (child != null && sibling != null && isBefore(sibling, child)) {
                child = sibling;
                below++;
            }
            if (child == null || !isBefore(child, timed)) {
                break;
            }
            set(place, child);
            place = below;
        }
        set(place, timed);
    }

    private void set(int place, Timed timed) {
        elements[place] = timed;
        timed.place = place;
    }

    private static boolean isBefore(Timed one, Timed other) {
        return one.dueNanos < other.dueNanos || (one.dueNanos == other.dueNanos && one.order < other.order);
    }
}
