package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.spi.MonotonicClock;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener one event after another, in order, on a thread for user code. When the listener cannot keep up, the
 * newest events are dropped. Thread-safe; may be called with a gate's monitor held.
 */
final class EventQueue {
    private static final int MOST_WAITING = 100_000;

    private final HoldfastListener listener;
    private final Executor callbacks;
    private final Timeline timeline;
    private final MonotonicClock clock;
    private final LongAdder dropped;
    private final long mostDelayNanos;

    /** Events in order; guarded by itself, as are the next two. */
    private final Queue<Told> waiting = new ArrayDeque<>();

    private Delivery delivery = Delivery.NONE;

    /** Whether events may be kept back, to tell many at once. */
    private boolean mayDelay;

    private final Timed delayed = new Timed() {
        @Override
        public void onDue() {
            startIfDelayed();
        }
    };

    /** Whether events are being delivered. */
    private enum Delivery {
        NONE,
        DELAYED,
        STARTED
    }

    /** An event, and whom else to tell of it. */
    private record Told(HoldfastEvent event, @Nullable HoldfastListener follower) {}

    EventQueue(
            HoldfastListener listener, Executor callbacks, Timeline timeline, MonotonicClock clock, LongAdder dropped) {
        this.listener = listener;
        this.callbacks = callbacks;
        this.timeline = timeline;
        this.clock = clock;
        this.dropped = dropped;
        this.mostDelayNanos = listener.longestDelay().toNanos();
        this.mayDelay = mostDelayNanos > 0;
    }

    /**
     * Adds an event. It takes its place in order at once.
     *
     * @param follower who else is told, or null
     * @param later receives what starts the delivery, to be run when no monitor is held
     */
    void add(HoldfastEvent event, @Nullable HoldfastListener follower, Consumer<Runnable> later) {
        Delivery next = enqueue(event, follower);
        if (next == Delivery.STARTED) {
            later.accept(this::deliverSoon);
        } else if (next == Delivery.DELAYED) {
            later.accept(this::deliverLater);
        }
    }

    /** Adds an event; returns how somebody has to start its delivery, if so. */
    private Delivery enqueue(HoldfastEvent event, @Nullable HoldfastListener follower) {
        synchronized (waiting) {
            if (waiting.size() < MOST_WAITING) {
                waiting.add(new Told(event, follower));
            } else {
                dropped.increment();
            }
            boolean atOnce = !mayDelay || follower != null;
            if (delivery == Delivery.STARTED || (delivery == Delivery.DELAYED && !atOnce)) {
                return Delivery.NONE;
            }
            delivery = atOnce ? Delivery.STARTED : Delivery.DELAYED;
            return delivery;
        }
    }

    private void startIfDelayed() {
        synchronized (waiting) {
            if (delivery != Delivery.DELAYED) {
                return;
            }
            delivery = Delivery.STARTED;
        }
        deliverSoon();
    }

    /** The client closes: from now on nothing is kept back. */
    void hurry() {
        synchronized (waiting) {
            mayDelay = false;
        }
        startIfDelayed();
    }

    private void deliverSoon() {
        start(() -> callbacks.execute(this::deliver));
    }

    private void deliverLater() {
        start(() -> timeline.schedule(delayed, clock.nanos() + mostDelayNanos));
    }

    private void start(Runnable start) {
        try {
            start.run();
        } catch (RuntimeException | Error noThread) {
            // The next event tries again; otherwise none would ever be delivered.
            synchronized (waiting) {
                delivery = Delivery.NONE;
            }
            throw noThread;
        }
    }

    private void deliver() {
        while (true) {
            Told next;
            synchronized (waiting) {
                next = waiting.poll();
                delivery = next == null ? Delivery.NONE : Delivery.STARTED;
            }
            if (next == null) {
                return;
            }
            tell(listener, next.event);
            if (next.follower != null) {
                tell(next.follower, next.event);
            }
        }
    }

    private static void tell(HoldfastListener listener, HoldfastEvent event) {
        try {
            listener.on(event);
        } catch (Throwable broken) {
            // Languages without checked exceptions throw them through interfaces that do not declare them.
            // No more of the event than its kind: it may carry an exception of the user's that fails to describe
            // itself.
            Log.warning("the Holdfast listener failed on " + event.getClass().getSimpleName(), broken);
        }
    }
}
