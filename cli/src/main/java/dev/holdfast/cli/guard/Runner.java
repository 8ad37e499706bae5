package dev.holdfast.cli.guard;

import dev.holdfast.cli.event.Event;
import java.util.List;
import java.util.function.Consumer;

/** Our end of the conversation with the runner; the language is explained in the script {@code runner}. */
public final class Runner {
    private static final String PROPERTY = "holdfast.runner";

    private final PipePair pipes;

    private Runner(PipePair pipes) {
        this.pipes = pipes;
    }

    public static Runner connect(Consumer<Event> events) {
        PipePair pipes = PipePair.inherited(PROPERTY);
        pipes.listen(
                "holdfast-runner", line -> events.accept(event(line)), () -> events.accept(new Event.RunnerEnded()));
        return new Runner(pipes);
    }

    /** Makes a process group for the command, which waits. */
    public void prepare() {
        pipes.say("prepare");
    }

    /** Starts the command. */
    public void go(List<String> tokens, List<String> names) {
        pipes.say("go " + String.join(",", tokens) + " " + String.join(",", names));
    }

    /** Lets a stopped command go on. */
    public void goOn() {
        pipes.say("go");
    }

    /** Ends the runner, which has nothing more to do. */
    public void quit() {
        pipes.say("quit");
    }

    private static Event event(String line) {
        List<String> words = List.of(line.split(" ", -1));
        return switch (words.get(0)) {
            case "group" ->
                new Event.Grouped(
                        Long.parseLong(words.get(1)),
                        Long.parseLong(words.get(3)),
                        words.get(2).equals("yes"));
            case "exited" -> new Event.Exited(Integer.parseInt(words.get(1)));
            default -> new Event.Resumed();
        };
    }
}
