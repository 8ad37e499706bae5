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

/** {@code holdfast acquire}. */
@Command(
        name = "acquire",
        sortOptions = false,
        description = "Takes a lock for a script that cannot put its work into one command.",
        footer = {
            "",
            "Prints a line for the shell that sets HOLDFAST_ID, HOLDFAST_TOKEN and HOLDFAST_NAME, and leaves a guardian"
                    + " in the background that renews the lock until 'holdfast release', or until the script ends."
                    + " If the lock is lost, the script gets the signal of --on-loss. 'run' protects better: it stops"
                    + " everything that its command has started.",
            "",
            "Example:",
            "  lock=$(holdfast acquire --for $$ nightly) || exit",
            "  eval \"$lock\"",
            "  ./first-step; ./second-step",
            "  holdfast release || exit",
            "",
            "Exit code: 0 if it has the lock; 75 it was not free in time; 74 the store failed; 64 bad usage."
        })
public final class AcquireCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--for",
            paramLabel = "PID",
            description = "The process that the lock belongs to, usually $$. Default: the parent of holdfast.")
    private @Nullable Long owner;

    @Option(
            names = "--on-loss",
            paramLabel = "SIGNAL",
            description = "What that process gets if the lock is lost: a signal such as TERM or USR1, or none. Default:"
                    + " TERM.")
    private String onLoss = "TERM";

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            description = "Give up after this time. Default: wait without limit.")
    private @Nullable Duration wait;

    @Option(
            names = {"-n", "--no-wait"},
            description = "Give up at once if the lock is not free.")
    private boolean noWait;

    @Mixin
    private LockModeOptions mode = new LockModeOptions();

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            description = "How long the store keeps the lock if this machine dies. Default: 30s.")
    private @Nullable Duration lease;

    @Option(names = "--label", paramLabel = "TEXT", description = "What others see beside your name. Default: script.")
    private String label = "script";

    @Parameters(paramLabel = "NAME", description = "The lock, or several separated by commas, all or nothing.")
    private String names = "";

    @Override
    public Integer call() {
        if (noWait && wait != null) {
            throw new IllegalArgumentException("--wait and --no-wait exclude each other; give one of them");
        }
        if (!onLoss.equals("none") && !onLoss.matches("[A-Z][A-Z0-9]{1,9}")) {
            throw new IllegalArgumentException("--on-loss takes the name of a signal, such as TERM or USR1, or 'none'");
        }
        RunRequest request = RunRequest.of(
                store.url(),
                names,
                Optional.ofNullable(noWait ? Duration.ZERO : wait),
                lease,
                null,
                label,
                mode.mode(),
                RunRequest.Terms.USUAL);
        return Guardian.execute(request, owner, onLoss);
    }
}
