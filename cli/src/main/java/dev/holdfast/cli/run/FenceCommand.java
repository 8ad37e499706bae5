package dev.holdfast.cli.run;

import dev.holdfast.cli.console.Complaint;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code holdfast fence}. The launcher does it itself; here is what explains it, and what complains of mistakes. */
@Command(
        name = "fence",
        sortOptions = false,
        description = "Runs a command only if a token is not too old.",
        customSynopsis = "holdfast fence FILE TOKEN [-- COMMAND [ARGUMENT...]]",
        footer = {
            "",
            "FILE stands beside what is protected and holds the largest token that was seen. With a smaller one nothing is"
                    + " run. The file stays locked until the command has ended, so that nothing comes between the look"
                    + " and the write. Without a command it only compares and remembers; do that before the first read.",
            "",
            "Examples:",
            "  holdfast fence /srv/data/.fence $HOLDFAST_TOKEN -- mv new /srv/data/current",
            "  ssh web 'holdfast fence /srv/www/.fence '$HOLDFAST_TOKEN' -- ./publish'",
            "",
            "Exit code: the command's own; 77 the token is too old; 74 the file cannot be used; 64 bad usage."
        })
public final class FenceCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", hidden = true)
    private List<String> words = List.of();

    @Override
    public Integer call() {
        return Complaint.usage(
                words.size() < 2
                        ? "say which file and which token: holdfast fence FILE TOKEN -- COMMAND"
                        : "write it like this: holdfast fence FILE TOKEN -- COMMAND, with the number of a token",
                "fence");
    }
}
