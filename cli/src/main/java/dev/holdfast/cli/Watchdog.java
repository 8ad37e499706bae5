package dev.holdfast.cli;

import java.time.Duration;
import java.util.function.Consumer;

/** Our end of the conversation with the watchdog; the language is explained in the script {@code watchdog}. */
final class Watchdog {
    private static final String PROPERTY = "holdfast.watchdog";

    private final PipePair pipes;

    private Watchdog(PipePair pipes) {
        this.pipes = pipes;
    }

    static Watchdog connect(Consumer<Event> events) {
        PipePair pipes = PipePair.inherited(PROPERTY);
        pipes.listen(
                "holdfast-watchdog", line -> events.accept(event(line)), () -> events.accept(new Event.WatchdogDied()));
        return new Watchdog(pipes);
    }

    /** Says how long the command has from TERM to KILL while the lock is held, and when it is gone. */
    void terms(Duration grace, Duration lastWords) {
        pipes.say("terms " + BootClock.ticks(grace) + " " + BootClock.ticks(lastWords));
    }

    /** Takes a seat, which is a umask and the path of a file. */
    void sit(String seat) {
        pipes.say("seat " + seat);
    }

    void guard(Event.Grouped command) {
        pipes.say("guard " + command.group() + " " + command.runner() + " " + (command.terminal() ? "yes" : "no"));
    }

    void until(long termAtTicks, long killAtTicks) {
        pipes.say("until " + termAtTicks + " " + killAtTicks);
    }

    void pulse(long atTicks) {
        pipes.say("pulse " + atTicks);
    }

    void passOn(Event.Signalled signal) {
        pipes.say("signal " + signal.name());
    }

    void lost() {
        pipes.say("lost");
    }

    /** Has the watchdog end; it answers unless it is about to stop the command. */
    void dismiss() {
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
            default -> new Event.Stopped(line.equals("gone silence"));
        };
    }
}
