package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LossReason;
import dev.holdfast.jfr.FlightRecords;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the user's listener what happens, one event after another, and holders of their losses. */
final class Events {
    private static final int MOST_WAITING = 100_000;

    private final @Nullable HoldfastListener listener;
    private final Executor callbacks;
    private final MonotonicTime time;

    /** Events in order; guarded by itself. When the listener cannot keep up, the newest are dropped. */
    private final Queue<Told> waiting = new ArrayDeque<>();

    /** Counts for the listener; null without one. */
    private final @Nullable Statistics counts;

    /** Guarded by the queue, as is the next. */
    private Delivery delivery = Delivery.NONE;

    /** Whether events may be kept back, to tell many at once. */
    private boolean mayDelay;

    private final long mostDelayNanos;
    private final Timeline timeline;
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

    /** The part of the engine that this needs. */
    interface MonotonicTime {
        long now();
    }

    Events(
            @Nullable HoldfastListener listener,
            Executor callbacks,
            Timeline timeline,
            MonotonicTime time,
            @Nullable Statistics counts) {
        this.listener = listener;
        this.callbacks = callbacks;
        this.timeline = timeline;
        this.time = time;
        this.mostDelayNanos = listener == null ? 0 : listener.longestDelay().toNanos();
        this.mayDelay = mostDelayNanos > 0;
        this.counts = counts;
    }

    /** Tells the listener of the client's numbers. */
    void opened() {
        if (listener != null && counts != null) {
            try {
                listener.opened(counts);
            } catch (RuntimeException | Error broken) {
                Log.get().log(System.Logger.Level.WARNING, "the Holdfast listener failed on a new client", broken);
            }
        }
    }

    LockStore timed(LockStore store, MonotonicClock clock) {
        return counts == null ? store : new TimedStore(store, clock, counts);
    }

    /** Somebody asks for a lock; returns who else wants to know how that ends. */
    @Nullable
    HoldfastListener attempt(Terms terms) {
        if (listener == null || counts == null) {
            return null;
        }
        counts.waiting.increment();
        try {
            return listener.attempt(terms.describe());
        } catch (RuntimeException | Error broken) {
            Log.get().log(System.Logger.Level.WARNING, "the Holdfast listener failed on an attempt", broken);
            return null;
        }
    }

    /** The store gave this client a lock. */
    void granted(boolean afterWaiting) {
        if (counts != null && afterWaiting) {
            counts.remoteHandOffs.increment();
        }
    }

    void acquired(Waiter taker, Hold hold, Source source, long now, AfterUnlock after) {
        recordWait(taker, hold.token(), source.name(), after);
        if (counts != null) {
            counts.waiting.decrement();
            counts.held.increment();
            if (source == Source.HAND_OFF) {
                counts.localHandOffs.increment();
            }
            Duration waited = Duration.ofNanos(now - taker.startedNanos);
            String name = hold.grant.terms.describe();
            later(new HoldfastEvent.Acquired(name, hold.token(), waited, source), taker.follower, after);
        }
    }

    void notAcquired(Waiter waiter, @Nullable RuntimeException fault, AfterUnlock after) {
        recordWait(waiter, 0, fault == null ? "contended" : "failed", after);
        if (counts != null) {
            counts.waiting.decrement();
            String name = waiter.terms.describe();
            Duration waited = waitedBy(waiter);
            HoldfastEvent event = fault == null
                    ? new HoldfastEvent.NotAcquired(name, waited)
                    : new HoldfastEvent.Failed(name, waited, fault);
            later(event, waiter.follower, after);
        }
    }

    void abandoned(Waiter waiter, AfterUnlock after) {
        recordWait(waiter, 0, "abandoned", after);
        if (counts != null) {
            counts.waiting.decrement();
            later(new HoldfastEvent.Abandoned(waiter.terms.describe(), waitedBy(waiter)), waiter.follower, after);
        }
    }

    private static void recordWait(Waiter waiter, long token, String outcome, AfterUnlock after) {
        if (waiter.flight != null) {
            String name = waiter.terms.describe();
            after.then(() -> FlightRecords.endWait(waiter.flight, name, token, outcome.toLowerCase(Locale.ROOT)));
        }
    }

    private static void recordEnd(Hold hold, String end, AfterUnlock after) {
        if (hold.flight != null) {
            String name = hold.grant.terms.describe();
            after.then(() -> FlightRecords.endHold(hold.flight, name, hold.token(), end.toLowerCase(Locale.ROOT)));
        }
    }

    private Duration waitedBy(Waiter waiter) {
        return Duration.ofNanos(time.now() - waiter.startedNanos);
    }

    void renewed(HeldGrant held, long lagNanos, AfterUnlock after) {
        if (FlightRecords.wantsRenewals()) {
            after.then(() -> FlightRecords.renewed(held.terms.describe(), held.token(), Math.max(0, lagNanos)));
        }
        if (listener != null) {
            Duration lag = Duration.ofNanos(Math.max(0, lagNanos));
            later(new HoldfastEvent.Renewed(held.terms.describe(), held.token(), lag), null, after);
        }
    }

    void released(Hold hold, long now, AfterUnlock after) {
        recordEnd(hold, "released", after);
        if (counts != null) {
            counts.held.decrement();
            Duration held = Duration.ofNanos(now - hold.acquiredNanos);
            String name = hold.grant.terms.describe();
            later(new HoldfastEvent.Released(name, hold.token(), held), hold.follower, after);
        }
    }

    /** A lease that was released turns out to have been lost before. */
    void lost(Hold hold, AfterUnlock after) {
        LossReason reason = hold.reason;
        if (reason != null) {
            String name = hold.grant.terms.describe();
            after.then(
                    () -> FlightRecords.lost(name, hold.token(), reason.name().toLowerCase(Locale.ROOT)));
            if (listener != null) {
                later(new HoldfastEvent.Lost(name, hold.token(), reason), hold.follower, after);
            }
        }
    }

    /** Tells the holder and the listener of a loss, on threads where that may take its time. */
    void tellLoss(Hold hold, LossReason reason, List<Consumer<LossReason>> actions, AfterUnlock after) {
        if (counts != null) {
            counts.held.decrement();
        }
        recordEnd(hold, reason.name(), after);
        lost(hold, after);
        if (hold.interrupts()) {
            after.then(() -> callbacks.execute(hold::interrupt));
        }
        for (Consumer<LossReason> action : actions) {
            String name = hold.grant.terms.describe();
            after.then(() -> callbacks.execute(() -> guarded(name, () -> action.accept(reason))));
        }
    }

    /** Runs user code; what it throws is reported and goes no further. */
    void guarded(String lockName, Runnable userCode) {
        try {
            userCode.run();
        } catch (Throwable broken) {
            // Languages without checked exceptions throw them through interfaces that do not declare them.
            callbackFailed(lockName, broken);
        }
    }

    void storeFailed(String operation, String lockName, Throwable cause, AfterUnlock after) {
        if (listener != null) {
            later(new HoldfastEvent.StoreFailed(lockName, operation, cause), null, after);
        }
    }

    void leaked(Hold hold) {
        String name = hold.grant.terms.describe();
        Log.get()
                .log(
                        System.Logger.Level.WARNING,
                        "a lease of '" + name
                                + "' became unreachable without having been released; it is given back now",
                        hold.takenAt);
        tell(new HoldfastEvent.Leaked(name, hold.token(), Optional.ofNullable(hold.takenAt)));
    }

    void callbackFailed(String lockName, Throwable cause) {
        Log.get().log(System.Logger.Level.WARNING, "a callback for lock '" + lockName + "' failed", cause);
        tell(new HoldfastEvent.CallbackFailed(lockName, cause));
    }

    /** Takes its place in order at once, while the gate's monitor is held; is delivered afterwards. */
    private void later(HoldfastEvent event, @Nullable HoldfastListener follower, AfterUnlock after) {
        Delivery next = enqueue(event, follower);
        if (next == Delivery.STARTED) {
            after.then(this::deliverSoon);
        } else if (next == Delivery.DELAYED) {
            after.then(this::deliverLater);
        }
    }

    void tell(HoldfastEvent event) {
        Delivery next = listener == null ? Delivery.NONE : enqueue(event, null);
        if (next == Delivery.STARTED) {
            deliverSoon();
        } else if (next == Delivery.DELAYED) {
            deliverLater();
        }
    }

    /** Adds an event; returns how somebody has to start its delivery, if so. */
    private Delivery enqueue(HoldfastEvent event, @Nullable HoldfastListener follower) {
        synchronized (waiting) {
            if (waiting.size() < MOST_WAITING) {
                waiting.add(new Told(event, follower));
            } else if (counts != null) {
                counts.dropped.increment();
            }
            boolean atOnce = !mayDelay || follower != null;
            if (delivery == Delivery.STARTED || (delivery == Delivery.DELAYED && !atOnce)) {
                return Delivery.NONE;
            }
            delivery = atOnce ? Delivery.STARTED : Delivery.DELAYED;
            return delivery;
        }
    }

    private void deliverLater() {
        timeline.schedule(delayed, time.now() + mostDelayNanos);
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
        try {
            callbacks.execute(this::deliver);
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
            if (next == null || listener == null) {
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
        } catch (RuntimeException | Error broken) {
            Log.get().log(System.Logger.Level.WARNING, "the Holdfast listener failed on " + event, broken);
        }
    }
}
