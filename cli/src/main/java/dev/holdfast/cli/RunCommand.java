package dev.holdfast.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast run}. What stands behind {@code --} is not parsed here. */
@Command(
        name = "run",
        sortOptions = false,
        description = "Runs a command while holding a lock.",
        customSynopsis = "holdfast run [OPTIONS] NAME[,NAME...] -- COMMAND [ARGUMENT...]",
        footer = {
            "",
            "The command gets HOLDFAST_TOKEN, a number that grows with every holder, and HOLDFAST_NAME. If the lock is"
                    + " lost, the command and all its child processes are stopped.",
            "",
            "Examples:",
            "  holdfast run nightly -- ./backup.sh --all",
            "  holdfast run --no-wait cron/report -- make report",
            "  holdfast run --wait 10s accounts,orders -- ./migrate",
            "  holdfast run --url redis://cache:6379 --lease 1m deploy -- ./deploy",
            "",
            "Exit code: the command's own; 75 the lock was not free in time; 76 it was lost while the command ran;"
                    + " 74 the store failed; 64 bad usage; 126, 127 the command cannot be run; 128+N ended by signal N."
        })
final class RunCommand implements Callable<Integer> {
    private final String commandName;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            description = "Give up after this time, such as 500ms, 10s or 2m. Default: wait without limit.")
    private @Nullable Duration wait;

    @Option(names = "--no-wait", description = "Give up at once if the lock is not free.")
    private boolean noWait;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            description = "How long the store keeps the lock if this machine dies; renewed while the command runs."
                    + " Default: 30s.")
    private @Nullable Duration lease;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            description = "From TERM to KILL when the command has to be stopped. Default: 5s, at most a sixth of the"
                    + " lease; 50ms if the lock is gone already.")
    private @Nullable Duration grace;

    @Option(
            names = "--label",
            paramLabel = "TEXT",
            description = "What others see beside your name. Default: the command's name.")
    private @Nullable String label;

    @Parameters(paramLabel = "NAME", description = "The lock, or several separated by commas, all or nothing.")
    private String names = "";

    RunCommand(String commandName) {
        this.commandName = commandName;
    }

    @Override
    public Integer call() {
        return GuardedRun.execute(request());
    }

    RunRequest request() {
        if (noWait && wait != null) {
            throw new IllegalArgumentException("--wait and --no-wait exclude each other; give one of them");
        }
        return RunRequest.of(
                store.url(),
                names,
                Optional.ofNullable(noWait ? Duration.ZERO : wait),
                lease,
                grace,
                RunRequest.label(label, commandName));
    }
}
