package dev.holdfast.zookeeper;

import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Claims that were withdrawn although a request of theirs may still come. Remembered in this client only: the server takes
 * the requests of a session in order, and closes a session's old connection before it opens a new one, so nothing that was
 * sent before an answered request can arrive after it. Thread-safe.
 */
final class Tombstones {
    private static final long LIFE_NANOS = Duration.ofSeconds(60).toNanos();

    private final MonotonicClock clock;

    /** Until when each is remembered, oldest first; guarded by this object. */
    private final Map<OwnerId, Long> ends = new LinkedHashMap<>();

    private volatile boolean empty = true;

    Tombstones(MonotonicClock clock) {
        this.clock = clock;
    }

    synchronized void add(OwnerId owner) {
        ends.remove(owner);
        ends.put(owner, clock.nanos() + LIFE_NANOS);
        empty = false;
    }

    boolean contains(OwnerId owner) {
        return !empty && look(owner);
    }

    private synchronized boolean look(OwnerId owner) {
        long now = clock.nanos();
        Iterator<Long> oldest = ends.values().iterator();
        while (oldest.hasNext() && oldest.next() <= now) {
            oldest.remove();
        }
        empty = ends.isEmpty();
        return ends.containsKey(owner);
    }
}
