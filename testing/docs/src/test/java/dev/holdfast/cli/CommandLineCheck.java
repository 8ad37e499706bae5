package dev.holdfast.cli;

import dev.holdfast.cli.console.Terminal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Has a command line read by the parser that would read it in earnest, without executing it. */
public final class CommandLineCheck {
    private static final String END_OF_OPTIONS = "--";

    private static final Set<String> NEED_A_COMMAND = Set.of("run", "elect");

    private CommandLineCheck() {}

    /** What a shell would make of a word. */
    private static String expanded(String word) {
        return word.equals("$$") ? String.valueOf(ProcessHandle.current().pid()) : word;
    }

    /**
     * Reads a command line.
     *
     * @param arguments the words behind {@code holdfast}
     * @return what is wrong with it, if anything
     */
    public static Optional<String> mistakeIn(List<String> arguments) {
        int split = arguments.indexOf(END_OF_OPTIONS);
        List<String> own = split < 0 ? arguments : arguments.subList(0, split);
        boolean hasCommand = split >= 0 && split < arguments.size() - 1;
        String which = own.isEmpty() || own.contains("--help") ? "" : own.get(0);
        if (NEED_A_COMMAND.contains(which) && !hasCommand && !own.contains("--shell")) {
            return Optional.of("'" + which + "' needs '--' and a command");
        }
        if (!NEED_A_COMMAND.contains(which) && !which.equals("fence") && split >= 0) {
            return Optional.of("'" + which + "' has no command behind '--'");
        }
        try {
            CommandLine.ParseResult read = CommandLines.parser(
                            new Terminal(0, false), hasCommand ? arguments.get(split + 1) : "")
                    .parseArgs(own.stream().map(CommandLineCheck::expanded).toArray(String[]::new));
            boolean says = read.hasSubcommand() || read.isUsageHelpRequested() || read.isVersionHelpRequested();
            return says ? Optional.empty() : Optional.of("it does not say what to do");
        } catch (ParameterException mistake) {
            return Optional.of(String.valueOf(mistake.getMessage()));
        }
    }
}
