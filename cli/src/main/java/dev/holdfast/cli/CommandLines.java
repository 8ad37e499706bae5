package dev.holdfast.cli;

import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Keyboard;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.demo.DemoCommand;
import dev.holdfast.cli.demo.NaiveCommand;
import dev.holdfast.cli.demo.OversellCommand;
import dev.holdfast.cli.demo.PauseCommand;
import dev.holdfast.cli.doctor.DoctorCommand;
import dev.holdfast.cli.look.EvictCommand;
import dev.holdfast.cli.look.LsCommand;
import dev.holdfast.cli.look.ShowCommand;
import dev.holdfast.cli.look.WatchCommand;
import dev.holdfast.cli.run.AcquireCommand;
import dev.holdfast.cli.run.ElectCommand;
import dev.holdfast.cli.run.FenceCommand;
import dev.holdfast.cli.run.ReleaseCommand;
import dev.holdfast.cli.run.RunCommand;
import dev.holdfast.cli.serve.ServeCommand;
import dev.holdfast.cli.top.TopCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Puts the commands together and turns every mistake into one sentence. */
final class CommandLines {
    private CommandLines() {}

    /** Makes the parser. What stands behind {@code --} is not its business; it only needs the command's name. */
    static CommandLine parser(Terminal terminal, String commandName) {
        CommandLine line = new CommandLine(new HoldfastCommand());
        line.addSubcommand(new RunCommand(commandName));
        line.addSubcommand(new ElectCommand(commandName));
        line.addSubcommand(new AcquireCommand());
        line.addSubcommand(new ReleaseCommand());
        line.addSubcommand(new FenceCommand());
        line.addSubcommand(new LsCommand(terminal));
        line.addSubcommand(new ShowCommand(terminal));
        line.addSubcommand(new EvictCommand(Keyboard.ofThisProcess()));
        line.addSubcommand(new WatchCommand(terminal));
        line.addSubcommand(new TopCommand(terminal, Keyboard.ofThisProcess()));
        line.addSubcommand(new ServeCommand());
        line.addSubcommand(new DoctorCommand(terminal));
        line.addSubcommand(demo(terminal));
        line.addSubcommand(new CompletionCommand());
        line.registerConverter(Duration.class, CommandLines::duration);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(terminal.colour() ? Ansi.ON : Ansi.OFF));
        line.setUsageHelpAutoWidth(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExpandAtFiles(false);
        line.setParameterExceptionHandler((mistake, arguments) -> complain(mistake));
        line.setExecutionExceptionHandler(
                (failure, failed, parsed) -> Complaint.of(failure, "").complain());
        line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        return line;
    }

    private static CommandLine demo(Terminal terminal) {
        CommandLine line = new CommandLine(new DemoCommand());
        line.addSubcommand(new OversellCommand(terminal));
        line.addSubcommand(new PauseCommand(terminal));
        line.addSubcommand(new NaiveCommand(terminal));
        return line;
    }

    /**
     * Reads and executes a command line.
     *
     * @param arguments the command and its own arguments
     * @param commandName what {@code run} is to run
     * @return the exit code
     */
    static int execute(List<String> arguments, String commandName) {
        return parser(Terminal.ofThisProcess(), commandName).execute(arguments.toArray(String[]::new));
    }

    private static int complain(ParameterException mistake) {
        CommandLine line = mistake.getCommandLine();
        String name = line.getParent() == null
                ? ""
                : line.getCommandSpec().qualifiedName().replaceFirst("^holdfast ", "");
        if (mistake instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String what = unmatched.getUnmatched().get(0);
            return Complaint.usage(
                    switch (name) {
                        case "" -> "there is no command '" + what + "'; use " + HoldfastCommand.COMMANDS;
                        case "demo" -> "there is no demonstration '" + what + "'; use " + DemoCommand.DEMONSTRATIONS;
                        default -> "'" + what + "' is one argument too many";
                    },
                    name);
        }
        return Complaint.usage(sentence(String.valueOf(mistake.getMessage())), name);
    }

    /** Picocli's messages begin with a capital and may have more lines. */
    private static String sentence(String message) {
        String first = message.lines().findFirst().orElse("bad usage").replaceFirst("^Error: ", "");
        return Character.toLowerCase(first.charAt(0)) + first.substring(1);
    }

    private static Duration duration(String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new CommandLine.TypeConversionException(String.valueOf(malformed.getMessage()));
        }
    }
}
