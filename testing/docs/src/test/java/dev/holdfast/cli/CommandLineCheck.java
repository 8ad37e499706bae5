package dev.holdfast.cli;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Has a command line read by the parser that would read it in earnest, without executing it. */
public final class CommandLineCheck {
    private static final String END_OF_OPTIONS = "--";

    private CommandLineCheck() {}

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
        boolean isRun = !own.isEmpty() && own.get(0).equals("run") && !own.contains("--help");
        if (isRun && !hasCommand) {
            return Optional.of("'run' needs '--' and a command");
        }
        if (!isRun && split >= 0) {
            return Optional.of("only 'run' has a command behind '--'");
        }
        try {
            CommandLine.ParseResult read = CommandLines.parser(
                            new Terminal(0, false), hasCommand ? arguments.get(split + 1) : "")
                    .parseArgs(own.toArray(String[]::new));
            boolean says = read.hasSubcommand() || read.isUsageHelpRequested() || read.isVersionHelpRequested();
            return says ? Optional.empty() : Optional.of("it does not say what to do");
        } catch (ParameterException mistake) {
            return Optional.of(String.valueOf(mistake.getMessage()));
        }
    }
}
