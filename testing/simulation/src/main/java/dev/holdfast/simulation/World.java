package dev.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * True time and everything that happens in it. Runs one event at a time, on one thread; what happens next depends on the
 * seed alone. The first violation ends the history.
 */
final class World {
    private static final int MOST_EVENTS = 300_000;

    private final EventQueue queue = new EventQueue();
    private final List<Process> processes = new ArrayList<>(4);
    private final @Nullable List<String> log;
    private @Nullable String violation;
    private long now;
    private int events;

    World(boolean logging) {
        this.log = logging ? new ArrayList<>() : null;
    }

    /** {@return true time in nanoseconds since the history began} */
    long now() {
        return now;
    }

    void add(Process process) {
        processes.add(process);
    }

    List<Process> processes() {
        return processes;
    }

    /** Lets something happen outside of the clients. */
    void at(long time, Runnable action) {
        queue.add(Math.max(time, now), null, action);
    }

    /** Lets something happen inside a client: not while it is paused, and never after it crashed. */
    void at(long time, Process owner, Runnable action) {
        queue.add(Math.max(time, now), owner, action);
    }

    /** Runs until a time, or a violation. */
    void runUntil(long end) {
        while (violation == null && step(end)) {
            if (++events > MOST_EVENTS) {
                fail("P12", "the history does not come to rest: more than " + MOST_EVENTS + " events");
            }
        }
        if (violation == null) {
            now = Math.max(now, end);
        }
    }

    private boolean step(long end) {
        long at = queue.firstAt();
        Process timers = null;
        for (Process process : processes) {
            long due = process.nextTimerAt();
            if (due < at) {
                at = due;
                timers = process;
            }
        }
        if (at > end) {
            return false;
        }
        now = Math.max(now, at);
        if (timers != null) {
            timers.runTimer();
            return true;
        }
        EventQueue.Event event = queue.take();
        if (event.owner == null) {
            guarded(event.action);
        } else {
            event.owner.run(event.action);
        }
        return true;
    }

    /** Runs something that must not throw. */
    void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error unexpected) {
            StackTraceElement[] trace = unexpected.getStackTrace();
            fail("no exception", unexpected + (trace.length == 0 ? "" : " at " + trace[0]));
            if (log != null) {
                for (StackTraceElement element : trace) {
                    log.add("    at " + element);
                }
            }
        }
    }

    /** Records a violation; only the first counts. */
    void fail(String property, String message) {
        if (violation == null) {
            violation = property + ": " + message;
            log("VIOLATION " + violation);
        }
    }

    @Nullable
    String violation() {
        return violation;
    }

    int events() {
        return events;
    }

    /** {@return whether a log is kept; ask before building a message} */
    boolean logs() {
        return log != null;
    }

    void log(String message) {
        if (log != null) {
            log.add(String.format(Locale.ROOT, "%13.6f  %s", now / 1e6, message));
        }
    }

    List<String> logged() {
        return log == null ? List.of() : log;
    }
}
