package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code holdfast demo naive}. */
@Command(
        name = "naive",
        sortOptions = false,
        description = "Well-known first attempts with Redis fail; then the same situation with Holdfast.",
        footer = {
            "",
            "SETNX and then EXPIRE; DEL without looking whose lock it is; a time as owner; a failover that forgets the"
                    + " lock. Each on a real Redis, which is started for it; this needs the repository.",
            "",
            "Example:",
            "  ./holdfast demo naive",
            "",
            "Exit code: 0 if everything went as told; 1 if not."
        })
public final class NaiveCommand implements Callable<Integer> {
    private final Terminal terminal;

    public NaiveCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!LentServers.areAvailable()) {
            throw new IllegalArgumentException("this demonstration starts real Redis servers with the test rig of the"
                    + " repository; use './holdfast demo naive' there");
        }
        return Curtain.raise(() -> new FirstAttempts(new Narration(terminal)).play());
    }
}
