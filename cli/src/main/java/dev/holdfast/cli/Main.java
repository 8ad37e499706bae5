package dev.holdfast.cli;

import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.StandardOutput;
import dev.holdfast.cli.run.GuardedRun;
import dev.holdfast.cli.run.PlainRun;
import dev.holdfast.cli.run.RunRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where the command line starts. Takes the short way for a usual {@code run}; the parser does everything else. */
public final class Main {
    private static final String END_OF_OPTIONS = "--";
    private static final Set<String> WITH_COMMAND = Set.of("run", "elect");

    private Main() {}

    /**
     * Executes one command and ends the process with its exit code.
     *
     * @param arguments the command and its arguments; of what stands behind {@code --} the first word is enough
     */
    public static void main(String[] arguments) {
        StandardOutput out = StandardOutput.install();
        System.exit(out.judge(execute(List.of(arguments))));
    }

    /** {@return the exit code} */
    static int execute(List<String> arguments) {
        if (arguments.isEmpty() || !WITH_COMMAND.contains(arguments.get(0))) {
            return CommandLines.execute(arguments, "");
        }
        String which = arguments.get(0);
        int split = arguments.indexOf(END_OF_OPTIONS);
        List<String> own = split < 0 ? arguments : arguments.subList(0, split);
        String commandName = split < 0 || split == arguments.size() - 1 ? "" : arguments.get(split + 1);
        if (!commandName.isEmpty() && which.equals("run")) {
            Optional<RunRequest> plain = PlainRun.read(own.subList(1, own.size()), commandName);
            if (plain.isPresent()) {
                return GuardedRun.execute(plain.get());
            }
        }
        if (commandName.isEmpty() && !own.contains("--help") && !own.contains("-h") && !own.contains("--shell")) {
            return split < 0
                    ? Complaint.usage(
                            "put '--' before the command, as in: holdfast " + which + " NAME -- COMMAND", which)
                    : Complaint.usage("there is no command after '--'", which);
        }
        return CommandLines.execute(own, commandName);
    }
}
