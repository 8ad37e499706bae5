package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Terminal;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast demo oversell}. */
@Command(
        name = "oversell",
        sortOptions = false,
        description = "Several processes sell a limited stock, without a lock and with different ones.",
        footer = {
            "",
            "Each order reads the stock, spends 2 ms (as a call to a payment service would), and writes the stock that"
                    + " it has computed. Without a lock, or with one that only its own process knows, things are"
                    + " sold twice.",
            "",
            "Examples:",
            "  holdfast demo oversell",
            "  holdfast demo oversell --rig",
            "  holdfast demo oversell --jdbc 'jdbc:postgresql://db/test?user=me'",
            "",
            "Exit code: 0 if no safe way has oversold; 1 if one has."
        })
public final class OversellCommand implements Callable<Integer> {
    private static final int MOST_STOCK = 1_000_000;
    private static final int MOST_WORKERS = 50;

    private final Terminal terminal;

    @Option(
            names = "--jdbc",
            paramLabel = "URL",
            description =
                    "The database with the stock, instead of an embedded H2. Tables that begin with holdfast_demo_"
                            + " are made and deleted there; HOLDFAST_PASSWORD is respected.")
    private @Nullable String jdbc;

    @Option(
            names = "--rig",
            description = "Also with Holdfast on real servers of every kind, which are started for it. Needs the"
                    + " repository.")
    private boolean rig;

    @Option(names = "--stock", paramLabel = "N", description = "How many there are to sell. Default: 100.")
    private int stock = 100;

    @Option(names = "--workers", paramLabel = "N", description = "How many processes sell. Default: 3.")
    private int workers = 3;

    public OversellCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        within("--stock", stock, 1, MOST_STOCK);
        within("--workers", workers, 2, MOST_WORKERS);
        if (jdbc != null && (!jdbc.toLowerCase(Locale.ROOT).startsWith("jdbc:") || jdbc.indexOf(' ') >= 0)) {
            throw new IllegalArgumentException("--jdbc takes a URL that begins with 'jdbc:' and has no blanks");
        }
        if (rig && !LentServers.areAvailable()) {
            throw new IllegalArgumentException("--rig starts real servers with the test rig of the repository; use"
                    + " './holdfast demo oversell --rig' there");
        }
        if (rig
                && jdbc != null
                && !System.getenv().getOrDefault("HOLDFAST_PASSWORD", "").isEmpty()) {
            throw new IllegalArgumentException("with --rig, the password of --jdbc must be in its URL, because"
                    + " HOLDFAST_PASSWORD would be tried on the servers of the rig too");
        }
        return Curtain.raise(() -> new Oversell(terminal, jdbc, rig, stock, workers).play());
    }

    private static void within(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    option + " must be from " + least + " to " + most + ", but was " + value);
        }
    }
}
