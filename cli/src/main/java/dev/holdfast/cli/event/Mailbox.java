package dev.holdfast.cli.event;

import dev.holdfast.cli.console.Exit;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Collects events from all sides for the one thread that supervises. Thread-safe. */
public final class Mailbox {
    /** Only a flood of signals could fill it; then some of them are dropped, as the system itself does. */
    private static final int MOST_EVENTS = 1_000;

    /** Who presses Ctrl-C twice in a row means it once. */
    private static final Duration IN_A_ROW = Duration.ofSeconds(1);

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>(MOST_EVENTS);

    /** The thread that a signal interrupts, because it waits for the lock and not here; guarded by this monitor. */
    private @Nullable Thread waiting;

    /** Guarded by this monitor. */
    private Event.@Nullable Signalled firstSignal;

    /** How this process ends, once all that is left is to tidy up; guarded by this monitor, as is the time. */
    private int lastCode = -1;

    private long lastNanos;

    public void add(Event event) {
        events.offer(event);
        if (event instanceof Event.Signalled signal) {
            noteSignal(signal);
        }
    }

    @Nullable
    public Event poll(Duration wait) throws InterruptedException {
        return events.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** From now on a signal interrupts the calling thread, at once if one has come already. */
    public synchronized void beInterrupted() {
        waiting = Thread.currentThread();
        if (firstSignal != null) {
            beImpatient(Exit.SIGNAL + firstSignal.number());
            waiting.interrupt();
        }
    }

    /**
     * From now on only tidying up is left, which a store that does not answer makes long. A signal that comes later than in a
     * row with the last one ends this process at once; the store then keeps what is not tidied up until its lease is over.
     *
     * @param code the exit code then
     */
    public synchronized void beImpatient(int code) {
        lastCode = code;
        lastNanos = System.nanoTime();
    }

    /**
     * From now on a signal is only an event.
     *
     * @return the signal that has come until now, if any
     */
    public synchronized Optional<Event.Signalled> beLeftAlone() {
        waiting = null;
        if (firstSignal != null && Thread.interrupted()) {
            return Optional.of(firstSignal);
        }
        return Optional.ofNullable(firstSignal);
    }

    private synchronized void noteSignal(Event.Signalled signal) {
        if (lastCode >= 0 && System.nanoTime() - lastNanos > IN_A_ROW.toNanos()) {
            Runtime.getRuntime().halt(lastCode);
        }
        if (firstSignal == null) {
            firstSignal = signal;
        }
        if (waiting != null) {
            if (lastCode < 0) {
                beImpatient(Exit.SIGNAL + firstSignal.number());
            }
            waiting.interrupt();
        }
    }
}
