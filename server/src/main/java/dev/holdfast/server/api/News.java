package dev.holdfast.server.api;

import dev.holdfast.server.history.History;
import dev.holdfast.server.history.Holding;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * What can be told of all locks: the newest look, and what the readers cannot see from it. The readers share it, so that
 * each of them costs only its place in it, however slow it is. Thread-safe.
 */
final class News {
    private static final int MOST_GONE = 40_000;

    private final History history;

    /** Guarded by this, like the next. */
    private final Deque<Gone> gone = new ArrayDeque<>();

    private long goneIsKnownSince;

    /** Written by one look after the other. */
    private volatile State state = new State(Look.none(), 0);

    /** A name that was used up to the look before this one. */
    private record Gone(long number, String name) {}

    /**
     * What can be told at a moment.
     *
     * @param look the newest look
     * @param losses how many leases were lost until then
     */
    record State(Look look, long losses) {}

    News(History history) {
        this.history = history;
    }

    State state() {
        return state;
    }

    /** There was a look; what it found to have ended is in the history by now. */
    void publish(Look look) {
        synchronized (this) {
            for (String name : look.gone()) {
                gone.add(new Gone(look.number(), name));
            }
            while (gone.size() > MOST_GONE) {
                goneIsKnownSince = gone.remove().number;
            }
        }
        state = new State(look, history.lossCount());
    }

    /** {@return whether it is known which names have gone since a look} */
    synchronized boolean knowsGoneSince(long number) {
        return number >= goneIsKnownSince;
    }

    /** {@return the names that went after one look, up to another one, behind so many of them} */
    synchronized List<String> gone(long after, long upTo, int behind) {
        List<String> names = new ArrayList<>();
        for (Iterator<Gone> newestFirst = gone.descendingIterator(); newestFirst.hasNext(); ) {
            Gone next = newestFirst.next();
            if (next.number <= after) {
                break;
            }
            if (next.number <= upTo) {
                names.add(next.name);
            }
        }
        Collections.reverse(names);
        return names.subList(Math.min(behind, names.size()), names.size());
    }

    List<Holding> losses(long from, long to) {
        return history.losses(from, to);
    }
}
