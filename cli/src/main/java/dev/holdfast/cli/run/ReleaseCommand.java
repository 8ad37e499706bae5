package dev.holdfast.cli.run;

import dev.holdfast.cli.console.Complaint;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code holdfast release}. The launcher does it itself; here is what explains it, and what complains of mistakes. */
@Command(
        name = "release",
        sortOptions = false,
        description = "Releases a lock that 'holdfast acquire' took.",
        footer = {
            "",
            "Example:",
            "  holdfast release \"$HOLDFAST_ID\" || exit",
            "",
            "Exit code: 0 if the lock was held until now; 76 if it was lost, or released already."
        })
public final class ReleaseCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "ID",
            description = "What 'holdfast acquire' printed. Default: HOLDFAST_ID.")
    private String id = "";

    @Override
    public Integer call() {
        return Complaint.usage(
                id.isEmpty()
                        ? "say which lock: the HOLDFAST_ID that 'holdfast acquire' printed"
                        : "'" + id + "' is not what 'holdfast acquire' printed",
                "release");
    }
}
