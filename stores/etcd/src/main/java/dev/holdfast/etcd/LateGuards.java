package dev.holdfast.etcd;

import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Has holders watched after they have held for a few milliseconds: most have given the lock back by then, and the engine
 * passes a wanted lock on among its own threads for longer than that anyway. One that is known to be wanted only has to hear
 * of an eviction, which has more time. Thread-safe.
 */
final class LateGuards {
    private static final Duration UNLESS_WANTED = Duration.ofMillis(8);
    private static final Duration IF_WANTED = Duration.ofMillis(100);

    private final StoreContext context;
    private final Consumer<Place> guard;
    private final Due soon = new Due(UNLESS_WANTED);
    private final Due later = new Due(IF_WANTED);

    LateGuards(StoreContext context, Consumer<Place> guard) {
        this.context = context;
        this.guard = guard;
    }

    void add(Place place, boolean wanted) {
        (wanted ? later : soon).add(place);
    }

    private record Fresh(Place place, long dueNanos) {}

    /** Places with the same delay, so that they are in order; one timer for all. Guarded by its own monitor. */
    private final class Due {
        private final Duration delay;
        private final Deque<Fresh> fresh = new ArrayDeque<>();
        private boolean scheduled;

        Due(Duration delay) {
            this.delay = delay;
        }

        void add(Place place) {
            synchronized (this) {
                while (!fresh.isEmpty() && fresh.peek().place().state() != Place.State.HELD) {
                    fresh.remove();
                }
                fresh.add(new Fresh(place, context.clock().nanos() + delay.toNanos()));
                if (scheduled) {
                    return;
                }
                scheduled = true;
            }
            context.scheduler().schedule(delay, this::run);
        }

        private void run() {
            long now = context.clock().nanos();
            List<Place> due = new ArrayList<>();
            Duration next = null;
            synchronized (this) {
                while (!fresh.isEmpty()
                        && (fresh.peek().dueNanos() <= now
                                || fresh.peek().place().state() != Place.State.HELD)) {
                    due.add(fresh.remove().place());
                }
                scheduled = !fresh.isEmpty();
                if (scheduled) {
                    next = Duration.ofNanos(fresh.peek().dueNanos() - now);
                }
            }
            if (next != null) {
                context.scheduler().schedule(next, this::run);
            }
            due.stream().filter(place -> place.state() == Place.State.HELD).forEach(guard);
        }
    }
}
