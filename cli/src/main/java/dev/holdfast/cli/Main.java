package dev.holdfast.cli;

import java.util.List;
import java.util.Optional;

/** Where the command line starts. Takes the short way for a usual {@code run}; the parser does everything else. */
public final class Main {
    private static final String END_OF_OPTIONS = "--";

    private Main() {}

    /**
     * Executes one command and ends the process with its exit code.
     *
     * @param arguments the command and its arguments; of what stands behind {@code --} the first word is enough
     */
    public static void main(String[] arguments) {
        System.exit(execute(List.of(arguments)));
    }

    /** {@return the exit code} */
    static int execute(List<String> arguments) {
        if (arguments.isEmpty() || !arguments.get(0).equals("run")) {
            return CommandLines.execute(arguments, "");
        }
        int split = arguments.indexOf(END_OF_OPTIONS);
        List<String> own = split < 0 ? arguments : arguments.subList(0, split);
        String commandName = split < 0 || split == arguments.size() - 1 ? "" : arguments.get(split + 1);
        if (!commandName.isEmpty()) {
            Optional<RunRequest> plain = PlainRun.read(own.subList(1, own.size()), commandName);
            if (plain.isPresent()) {
                return GuardedRun.execute(plain.get());
            }
        } else if (!own.contains("--help") && !own.contains("-h")) {
            return split < 0
                    ? Complaint.usage("put '--' before the command, as in: holdfast run NAME -- COMMAND", "run")
                    : Complaint.usage("there is no command after '--'", "run");
        }
        return CommandLines.execute(own, commandName);
    }
}
