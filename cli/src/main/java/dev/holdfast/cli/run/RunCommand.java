package dev.holdfast.cli.run;

import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.store.StoreOption;
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
        customSynopsis = {
            "holdfast run [OPTIONS] NAME[,NAME...] -- COMMAND [ARGUMENT...]",
            "holdfast run [OPTIONS] NAME[,NAME...] --shell LINE"
        },
        footer = {
            "",
            "The command gets HOLDFAST_TOKEN, a number that grows with every holder, and HOLDFAST_NAME. If the lock is"
                    + " lost, the command is stopped with its child processes, also those that left its process group"
                    + " (setsid, daemons). Not found are children with an emptied environment or another user, and what a"
                    + " server starts for it (systemd-run, docker).",
            "",
            "Examples:",
            "  holdfast run nightly -- ./backup.sh --all",
            "  holdfast run --no-wait cron/report -- make report",
            "  holdfast run --wait 10s accounts,orders -- ./migrate",
            "  holdfast run --url redis://cache:6379 --lease 1m deploy -- ./deploy",
            "  holdfast run --on-busy skip --at-least 50s --at-most 10m cron/sync -- ./sync",
            "  holdfast run --permits 1/4 --shell 'gzip -c big | ssh store cat'",
            "",
            "Exit code: the command's own; 75 the lock was not free in time; 76 it was lost while the command ran;"
                    + " 124 --at-most was over;"
                    + " 74 the store failed; 64 bad usage; 126, 127 the command cannot be run; 128+N ended by signal N."
        })
public final class RunCommand implements Callable<Integer> {
    private final String commandName;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            description = "Give up after this time, such as 500ms, 10s or 2m. Default: wait without limit.")
    private @Nullable Duration wait;

    @Option(
            names = {"-n", "--no-wait"},
            description = "Give up at once if the lock is not free.")
    private boolean noWait;

    @Option(
            names = "--on-busy",
            paramLabel = "WHAT",
            description = "What to do if the lock is not free: wait (the default), fail (with 75), or skip (end with 0,"
                    + " in silence). With --wait, fail and skip count when that time is over.")
    private @Nullable OnBusy onBusy;

    @Option(
            names = {"-E", "--conflict-exit-code"},
            paramLabel = "CODE",
            description = "The exit code if the lock was not free in time. Default: 75.")
    private @Nullable Integer busyCode;

    @Mixin
    private LockModeOptions mode = new LockModeOptions();

    @Option(
            names = "--at-least",
            paramLabel = "DURATION",
            description =
                    "Keep the lock for this long even if the command ends sooner, so that a machine whose clock is"
                            + " late does not run it again.")
    private Duration atLeast = Duration.ZERO;

    @Option(
            names = "--at-most",
            paramLabel = "DURATION",
            description = "Stop the command after this time (TERM, KILL after --grace) and end with 124.")
    private @Nullable Duration atMost;

    @Option(
            names = "--shell",
            paramLabel = "LINE",
            description = "Run this line with /bin/sh instead of a command after '--'.")
    private @Nullable String shell;

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

    public RunCommand(String commandName) {
        this.commandName = commandName;
    }

    @Override
    public Integer call() {
        return GuardedRun.execute(request());
    }

    public RunRequest request() {
        if (noWait && wait != null) {
            throw new IllegalArgumentException("--wait and --no-wait exclude each other; give one of them");
        }
        if (noWait && onBusy == OnBusy.WAIT) {
            throw new IllegalArgumentException("--no-wait and '--on-busy wait' exclude each other; give one of them");
        }
        if (shell != null) {
            throw new IllegalArgumentException("give either --shell LINE or a command after '--', not both");
        }
        boolean atOnce = noWait || (wait == null && onBusy != null && onBusy != OnBusy.WAIT);
        return RunRequest.of(
                store.url(),
                names,
                Optional.ofNullable(atOnce ? Duration.ZERO : wait),
                lease,
                grace,
                RunRequest.label(label, commandName),
                mode.mode(),
                new RunRequest.Terms(atLeast, Optional.ofNullable(atMost), conflictExitCode(), onBusy == OnBusy.SKIP));
    }

    private int conflictExitCode() {
        if (busyCode == null) {
            return onBusy == OnBusy.SKIP ? Exit.OK : Exit.NOT_OBTAINED;
        }
        if (busyCode < 0 || busyCode > Exit.LARGEST) {
            throw new IllegalArgumentException(
                    "--conflict-exit-code must be from 0 to " + Exit.LARGEST + ", but was " + busyCode);
        }
        return busyCode;
    }

    /** What to do if the lock is not free. */
    enum OnBusy {
        SKIP,
        FAIL,
        WAIT
    }
}
