package dev.holdfast.cli.guard;

import dev.holdfast.cli.event.Event;
import java.time.Duration;
import java.util.function.Consumer;

/** Our end of the conversation with the watchdog; the language is explained in the script {@code watchdog}. */
public final class Watchdog {
    private static final String PROPERTY = "holdfast.watchdog";

    private final PipePair pipes;

    private Watchdog(PipePair pipes) {
        this.pipes = pipes;
    }

    public static Watchdog connect(Consumer<Event> events) {
        PipePair pipes = PipePair.inherited(PROPERTY);
        pipes.listen(
                "holdfast-watchdog", line -> events.accept(event(line)), () -> events.accept(new Event.WatchdogDied()));
        return new Watchdog(pipes);
    }

    /** Says how long the command has from TERM to KILL while the lock is held, and when it is gone. */
    public void terms(Duration grace, Duration lastWords) {
        pipes.say("terms " + BootClock.ticks(grace) + " " + BootClock.ticks(lastWords));
    }

    /** Takes a seat, which is a umask and the path of a file, alone or beside others. */
    public void sit(String seat, boolean shared) {
        pipes.say((shared ? "share " : "seat ") + seat);
    }

    public void guard(Event.Grouped command) {
        pipes.say("guard " + command.group() + " " + command.runner() + " " + (command.terminal() ? "yes" : "no"));
    }

    /** Guards no command but a process that has the lock; a loss is told to it with a signal, or not at all. */
    public void own(long process, String signal) {
        pipes.say("owner " + process + " " + signal);
    }

    /** Has the command stopped at a time. */
    public void limit(long atTicks) {
        pipes.say("limit " + atTicks);
    }

    void until(long termAtTicks, long killAtTicks) {
        pipes.say("until " + termAtTicks + " " + killAtTicks);
    }

    void pulse(long atTicks) {
        pipes.say("pulse " + atTicks);
    }

    public void passOn(Event.Signalled signal) {
        pipes.say("signal " + signal.name());
    }

    public void lost() {
        pipes.say("lost");
    }

    /** Has the watchdog end; it answers unless it is about to stop the command. */
    public void dismiss() {
        pipes.say("end");
    }

    private static Event event(String line) {
        return switch (line) {
            case "seated" -> new Event.Seated();
            case "no-seat" -> new Event.NoSeat();
            case "guarding" -> new Event.Guarding();
            case "ask" -> new Event.Asked();
            case "stuck" -> new Event.Stuck();
            case "ended" -> new Event.Dismissed();
            case "gone silence" -> new Event.Stopped(Event.Stopped.Why.SILENCE);
            case "gone limit" -> new Event.Stopped(Event.Stopped.Why.LIMIT);
            default -> new Event.Stopped(Event.Stopped.Why.LOCK);
        };
    }
}
