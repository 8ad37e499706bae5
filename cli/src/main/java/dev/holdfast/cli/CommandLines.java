package dev.holdfast.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Puts the commands together and turns every mistake into one sentence. */
final class CommandLines {
    private static final String COMMANDS = "run, ls, show, evict, watch or completion";

    private CommandLines() {}

    /** Makes the parser. What stands behind {@code --} is not its business; it only needs the command's name. */
    static CommandLine parser(Terminal terminal, String commandName) {
        CommandLine line = new CommandLine(new HoldfastCommand());
        line.addSubcommand(new RunCommand(commandName));
        line.addSubcommand(new LsCommand(terminal));
        line.addSubcommand(new ShowCommand(terminal));
        line.addSubcommand(new EvictCommand());
        line.addSubcommand(new WatchCommand(terminal));
        line.addSubcommand(new CompletionCommand());
        line.registerConverter(Duration.class, CommandLines::duration);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(terminal.colour() ? Ansi.ON : Ansi.OFF));
        line.setUsageHelpAutoWidth(false);
        line.setParameterExceptionHandler((mistake, arguments) -> complain(mistake));
        line.setOut(new PrintWriter(System.out, true));
        return line;
    }

    /**
     * Reads and executes a command line.
     *
     * @return the exit code
     */
    static int execute(List<String> arguments) {
        int split = arguments.indexOf("--");
        boolean isRun = !arguments.isEmpty() && arguments.get(0).equals("run");
        List<String> own = isRun && split >= 0 ? arguments.subList(0, split) : arguments;
        if (isRun && !own.contains("--help") && !own.contains("-h")) {
            if (split < 0) {
                return usage("put '--' before the command, as in: holdfast run NAME -- COMMAND", "run");
            }
            if (split == arguments.size() - 1) {
                return usage("there is no command after '--'", "run");
            }
        }
        String commandName = isRun && split >= 0 && split < arguments.size() - 1 ? arguments.get(split + 1) : "";
        return parser(Terminal.ofThisProcess(), commandName).execute(own.toArray(String[]::new));
    }

    private static int complain(ParameterException mistake) {
        CommandLine line = mistake.getCommandLine();
        String name = line.getCommandName();
        if (mistake instanceof MissingParameterException && line.getParent() == null) {
            return usage("say what to do: " + COMMANDS, "");
        }
        if (mistake instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String what = unmatched.getUnmatched().get(0);
            return line.getParent() == null
                    ? usage("there is no command '" + what + "'; there are " + COMMANDS, "")
                    : usage("'" + what + "' is one argument too many", name);
        }
        return usage(sentence(String.valueOf(mistake.getMessage())), line.getParent() == null ? "" : name);
    }

    /** Picocli's messages begin with a capital and may have more lines. */
    private static String sentence(String message) {
        String first = message.lines().findFirst().orElse("bad usage");
        return Character.toLowerCase(first.charAt(0)) + first.substring(1);
    }

    private static int usage(String sentence, String command) {
        String help = command.isEmpty() ? "holdfast --help" : "holdfast " + command + " --help";
        return new Complaint(sentence + "; see '" + help + "'", Exit.USAGE).complain();
    }

    private static Duration duration(String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new CommandLine.TypeConversionException(String.valueOf(malformed.getMessage()));
        }
    }
}
