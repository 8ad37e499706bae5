package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LossReason;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the user's listener what happens, one event after another, and holders of their losses. */
public final class Events {
    private static final int MOST_WAITING = 100_000;

    private final @Nullable HoldfastListener listener;
    private final Executor callbacks;
    private final MonotonicClock clock;

    /** Events in order; guarded by itself. When the listener cannot keep up, the newest are dropped. */
    private final Queue<HoldfastEvent> waiting = new ArrayDeque<>();

    private boolean delivering;

    Events(@Nullable HoldfastListener listener, Executor callbacks, MonotonicClock clock) {
        this.listener = listener;
        this.callbacks = callbacks;
        this.clock = clock;
    }

    void acquired(Waiter taker, Hold hold, Source source, long now, AfterUnlock after) {
        if (listener != null) {
            Duration waited = Duration.ofNanos(now - taker.startedNanos);
            later(new HoldfastEvent.Acquired(hold.grant.terms.describe(), hold.token(), waited, source), after);
        }
    }

    void notAcquired(Waiter waiter, @Nullable RuntimeException fault, AfterUnlock after) {
        if (listener != null && fault == null) {
            Duration waited = Duration.ofNanos(clock.nanos() - waiter.startedNanos);
            later(new HoldfastEvent.NotAcquired(waiter.terms.describe(), waited), after);
        }
    }

    void released(Hold hold, long now, AfterUnlock after) {
        if (listener != null) {
            Duration held = Duration.ofNanos(now - hold.acquiredNanos);
            later(new HoldfastEvent.Released(hold.grant.terms.describe(), hold.token(), held), after);
        }
    }

    void lost(Hold hold, AfterUnlock after) {
        if (listener != null && hold.reason != null) {
            later(new HoldfastEvent.Lost(hold.grant.terms.describe(), hold.token(), hold.reason), after);
        }
    }

    /** Tells the holder and the listener of a loss, on threads where that may take its time. */
    void tellLoss(Hold hold, LossReason reason, List<Consumer<LossReason>> actions, AfterUnlock after) {
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
    public void guarded(String lockName, Runnable userCode) {
        try {
            userCode.run();
        } catch (Throwable broken) {
            // Languages without checked exceptions throw them through interfaces that do not declare them.
            callbackFailed(lockName, broken);
        }
    }

    void storeFailed(String operation, String lockName, Throwable cause, AfterUnlock after) {
        if (listener != null) {
            later(new HoldfastEvent.StoreFailed(lockName, operation, cause), after);
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

    /** Reports what user code threw. */
    public void callbackFailed(String lockName, Throwable cause) {
        Log.get().log(System.Logger.Level.WARNING, "a callback for lock '" + lockName + "' failed", cause);
        tell(new HoldfastEvent.CallbackFailed(lockName, cause));
    }

    /** Takes its place in order at once, while the gate's monitor is held; is delivered afterwards. */
    private void later(HoldfastEvent event, AfterUnlock after) {
        if (enqueue(event)) {
            after.then(this::deliverSoon);
        }
    }

    /** Tells the listener of an event, on a thread where that may take its time. */
    public void tell(HoldfastEvent event) {
        if (listener != null && enqueue(event)) {
            deliverSoon();
        }
    }

    /** Adds an event; returns whether somebody has to start its delivery. */
    private boolean enqueue(HoldfastEvent event) {
        synchronized (waiting) {
            if (waiting.size() < MOST_WAITING) {
                waiting.add(event);
            }
            boolean first = !delivering;
            delivering = true;
            return first;
        }
    }

    private void deliverSoon() {
        try {
            callbacks.execute(this::deliver);
        } catch (RuntimeException | Error noThread) {
            // The next event tries again; otherwise none would ever be delivered.
            synchronized (waiting) {
                delivering = false;
            }
            throw noThread;
        }
    }

    private void deliver() {
        while (true) {
            HoldfastEvent next;
            synchronized (waiting) {
                next = waiting.poll();
                delivering = next != null;
            }
            if (next == null || listener == null) {
                return;
            }
            try {
                listener.on(next);
            } catch (RuntimeException | Error broken) {
                Log.get().log(System.Logger.Level.WARNING, "the Holdfast listener failed on " + next, broken);
            }
        }
    }
}
