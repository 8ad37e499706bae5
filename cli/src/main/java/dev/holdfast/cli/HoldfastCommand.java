package dev.holdfast.cli;

import dev.holdfast.cli.console.Complaint;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command line as a whole. */
@Command(
        name = "holdfast",
        description = "Locks for any program: one at a time, across processes and machines.",
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        versionProvider = HoldfastCommand.Version.class,
        footer = {
            "",
            "Examples:",
            "  holdfast run nightly -- ./backup.sh       run a command under a lock",
            "  holdfast elect boss -- ./scheduler        run it while leading",
            "  holdfast ls                               who holds what",
            "  holdfast show nightly                     who holds it, who waits",
            "  holdfast evict nightly --reason 'hangs'   take it away by force",
            "  holdfast top                              all locks, on a full screen",
            "  holdfast serve                            locks over HTTP, for any language",
            "  holdfast demo oversell                    why locks, and why these",
            "",
            "'holdfast COMMAND --help' tells more. HOLDFAST_URL names the store, NO_COLOR",
            "is respected."
        })
final class HoldfastCommand implements Callable<Integer> {
    static final String COMMANDS =
            "run, elect, acquire, release, fence, ls, show, evict, watch, top, serve, doctor, demo or completion";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("unused") // picocli answers it
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    @SuppressWarnings("unused") // picocli answers it
    private boolean version;

    @Override
    public Integer call() {
        return Complaint.usage("say what to do: " + COMMANDS, "");
    }

    /** Knows the version from the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"holdfast " + (version == null ? "from a directory of classes" : version)};
        }
    }
}
