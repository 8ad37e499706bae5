package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Complaint;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code holdfast demo}. */
@Command(
        name = "demo",
        sortOptions = false,
        description = "Shows why locks fail, and that these do not.",
        synopsisSubcommandLabel = "oversell | pause | naive",
        footer = {
            "",
            "Everything that is shown really happens, in processes and databases of its own.",
            "",
            "Examples:",
            "  holdfast demo oversell        processes sell a limited stock, with and without locks",
            "  holdfast demo pause           a holder is stopped beyond its lease",
            "  holdfast demo naive           well-known first attempts on a real Redis"
        })
public final class DemoCommand implements Callable<Integer> {
    public static final String DEMONSTRATIONS = "oversell, pause or naive";

    @Override
    public Integer call() {
        return Complaint.usage("say which: " + DEMONSTRATIONS, "demo");
    }
}
