package dev.holdfast.cli.run;

import dev.holdfast.cli.store.StoreOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast elect}. What stands behind {@code --} is not parsed here. */
@Command(
        name = "elect",
        sortOptions = false,
        description = "Runs a command while leading, on one machine of several.",
        customSynopsis = "holdfast elect [OPTIONS] NAME -- COMMAND [ARGUMENT...]",
        footer = {
            "",
            "Stands for election, and runs the command while it leads. When the leadership is lost, the command is"
                    + " stopped as by 'run', and it stands again. A store that does not answer is asked again, for as"
                    + " long as it takes. When the command ends by itself, the leadership is given up and everything"
                    + " ends. The command gets HOLDFAST_TOKEN and HOLDFAST_NAME, the number of its term and the name.",
            "",
            "Examples:",
            "  holdfast elect scheduler -- ./scheduler",
            "  holdfast elect --url redis://cache:6379 --lease 10s ip -- ./keep-address-up",
            "",
            "Exit code: the command's own; 64 bad usage; 70 Holdfast cannot work; 126, 127 the command cannot be run;"
                    + " 128+N ended by signal N."
        })
public final class ElectCommand implements Callable<Integer> {
    private final String commandName;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            description = "How long the store keeps the leadership if this machine dies. Default: 30s.")
    private @Nullable Duration lease;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            description = "From TERM to KILL when the command has to be stopped, as for 'run'.")
    private @Nullable Duration grace;

    @Option(
            names = "--label",
            paramLabel = "TEXT",
            description = "What others see beside your name. Default: the command's name.")
    private @Nullable String label;

    @Parameters(paramLabel = "NAME", description = "The election; a lock of this name.")
    private String name = "";

    public ElectCommand(String commandName) {
        this.commandName = commandName;
    }

    @Override
    public Integer call() {
        if (name.indexOf(',') >= 0) {
            throw new IllegalArgumentException("an election has one name, not several");
        }
        RunRequest request = RunRequest.of(
                store.url(),
                name,
                Optional.empty(),
                lease,
                grace,
                RunRequest.label(label, commandName),
                LockMode.PLAIN,
                RunRequest.Terms.USUAL);
        return GuardedRun.execute(request, Term.ofThisProcess());
    }
}
