package dev.holdfast.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line as a whole. */
@Command(
        name = "holdfast",
        description = "Locks for any program: one at a time, across processes and machines.",
        synopsisSubcommandLabel = "COMMAND",
        version = "holdfast ${holdfast.version}",
        footer = {
            "",
            "Examples:",
            "  holdfast run nightly -- ./backup.sh       run a command while holding the lock 'nightly'",
            "  holdfast ls                               who holds what",
            "  holdfast show nightly                     who holds it, who waits",
            "  holdfast evict nightly --reason 'hangs'   take it away by force",
            "",
            "'holdfast COMMAND --help' tells more. Environment: HOLDFAST_URL names the store, NO_COLOR is respected."
        })
final class HoldfastCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = picocli.CommandLine.ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("unused") // picocli answers it
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    @SuppressWarnings("unused") // picocli answers it
    private boolean version;
}
