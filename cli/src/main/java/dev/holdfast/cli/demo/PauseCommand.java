package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code holdfast demo pause}. */
@Command(
        name = "pause",
        sortOptions = false,
        description = "A holder is stopped beyond its lease while another takes over.",
        footer = {
            "",
            "Two processes withdraw from one account under one lock. The first is really stopped (SIGSTOP) after it"
                    + " has read the balance, as a long garbage collection or a suspended machine would stop it. The"
                    + " lock and the account are in an embedded H2.",
            "",
            "Example:",
            "  holdfast demo pause",
            "",
            "Exit code: 0 if everything went as told; 1 if not."
        })
public final class PauseCommand implements Callable<Integer> {
    private final Terminal terminal;

    public PauseCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        return Curtain.raise(() -> new PausedHolder(new Narration(terminal)).play());
    }
}
