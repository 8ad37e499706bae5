package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LossReason;
import dev.holdfast.jfr.FlightRecords;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Tells the user's listener what happens, one event after another, and holders of their losses. */
public final class Events {
    private final Executor signals;
    private final MonotonicClock clock;

    /** Null without a listener. */
    private final @Nullable Audience audience;

    /** The listener, its numbers, and what it has not been told yet. */
    private record Audience(HoldfastListener listener, Statistics counts, EventQueue queue) {}

    Events(Surroundings surroundings, @Nullable HoldfastListener listener, Statistics counts) {
        this.signals = surroundings.signals();
        this.clock = surroundings.clock();
        this.audience = listener == null
                ? null
                : new Audience(
                        listener,
                        counts,
                        new EventQueue(
                                listener, surroundings.callbacks(), surroundings.timeline(), clock, counts.dropped));
    }

    /** Tells the listener of the client's numbers. */
    public void opened() {
        if (audience != null) {
            try {
                audience.listener.opened(audience.counts);
            } catch (Throwable broken) {
                Log.warning("the Holdfast listener failed on a new client", broken);
            }
        }
    }

    LockStore timed(LockStore store) {
        return audience == null ? store : new TimedStore(store, clock, audience.counts);
    }

    /** Somebody asks for a lock; returns who else wants to know how that ends. */
    @Nullable
    HoldfastListener attempt(Terms terms) {
        if (audience == null) {
            return null;
        }
        audience.counts.waiting.increment();
        try {
            return audience.listener.attempt(terms.describe());
        } catch (Throwable broken) {
            Log.warning("the Holdfast listener failed on an attempt", broken);
            return null;
        }
    }

    /** The store gave this client a lock that somebody else had. */
    void remoteHandOff() {
        if (audience != null) {
            audience.counts.remoteHandOffs.increment();
        }
    }

    void acquired(Waiter taker, Hold hold, Source source, long now, AfterUnlock after) {
        recordWait(taker, hold.token(), source.name(), after);
        if (audience != null) {
            audience.counts.waiting.decrement();
            audience.counts.held.increment();
            if (source == Source.HAND_OFF) {
                audience.counts.localHandOffs.increment();
            }
            Duration waited = Duration.ofNanos(now - taker.startedNanos);
            String name = hold.grant.terms.describe();
            later(new HoldfastEvent.Acquired(name, hold.token(), waited, source), taker.follower, after);
        }
    }

    void notAcquired(Waiter waiter, @Nullable RuntimeException fault, AfterUnlock after) {
        recordWait(waiter, 0, fault == null ? "contended" : "failed", after);
        if (audience != null) {
            audience.counts.waiting.decrement();
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
        if (audience != null) {
            audience.counts.waiting.decrement();
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
        return Duration.ofNanos(clock.nanos() - waiter.startedNanos);
    }

    void renewed(HeldGrant held, long lagNanos, AfterUnlock after) {
        if (FlightRecords.wantsRenewals()) {
            after.then(() -> FlightRecords.renewed(held.terms.describe(), held.token(), lagNanos));
        }
        if (audience != null) {
            Duration lag = Duration.ofNanos(lagNanos);
            later(new HoldfastEvent.Renewed(held.terms.describe(), held.token(), lag), null, after);
        }
    }

    void released(Hold hold, long now, AfterUnlock after) {
        recordEnd(hold, "released", after);
        if (audience != null) {
            audience.counts.held.decrement();
            Duration held = Duration.ofNanos(now - hold.acquiredNanos);
            String name = hold.grant.terms.describe();
            later(new HoldfastEvent.Released(name, hold.token(), held), hold.follower, after);
        }
    }

    /** Tells the holder and the listener of a loss, on threads where that may take its time. */
    void lost(Hold hold, LossReason reason, AfterUnlock after) {
        if (audience != null) {
            audience.counts.held.decrement();
        }
        recordEnd(hold, reason.name(), after);
        lostBeforeRelease(hold, reason, after);
    }

    /** The same for a lease that was released and turns out to have been lost before. */
    void lostBeforeRelease(Hold hold, LossReason reason, AfterUnlock after) {
        String name = hold.grant.terms.describe();
        after.then(() -> FlightRecords.lost(name, hold.token(), reason.name().toLowerCase(Locale.ROOT)));
        if (audience != null) {
            later(new HoldfastEvent.Lost(name, hold.token(), reason), hold.follower, after);
        }
        if (hold.interrupts()) {
            // It must not wait for user code; nor may the thread for time wait for what an interrupt sets off.
            after.then(() -> hold.interruptOn(signals));
        }
        for (Hold.Listener told : hold.takeListeners()) {
            after.then(() ->
                    told.where().execute(() -> guarded(name, () -> told.action().accept(reason))));
        }
    }

    /** Runs user code; what it throws is reported and goes no further. */
    public void guarded(String lockName, Runnable userCode) {
        try {
            userCode.run();
        } catch (Throwable broken) {
            // Languages without checked exceptions throw them through interfaces that do not declare them.
            callbackFailed(lockName, broken);
        }
    }

    void storeFailed(String operation, String lockName, Throwable cause, AfterUnlock after) {
        if (audience != null) {
            later(new HoldfastEvent.StoreFailed(lockName, operation, cause), null, after);
        }
    }

    void leaked(Hold hold) {
        String name = hold.grant.terms.describe();
        Log.warning(
                "a lease of '" + name + "' became unreachable without having been released; it is given back now",
                hold.takenAt);
        tell(new HoldfastEvent.Leaked(name, hold.token(), Optional.ofNullable(hold.takenAt)));
    }

    /** Reports what user code threw. */
    public void callbackFailed(String lockName, Throwable cause) {
        Log.warning("a callback for lock '" + lockName + "' failed", cause);
        tell(new HoldfastEvent.CallbackFailed(lockName, cause));
    }

    private void later(HoldfastEvent event, @Nullable HoldfastListener follower, AfterUnlock after) {
        if (audience != null) {
            audience.queue.add(event, follower, after::then);
        }
    }

    /** Tells the listener of an event, on a thread where that may take its time. */
    public void tell(HoldfastEvent event) {
        if (audience != null) {
            audience.queue.add(event, null, Runnable::run);
        }
    }

    /** The client closes: from now on nothing is kept back. */
    void hurry() {
        if (audience != null) {
            audience.queue.hurry();
        }
    }
}
