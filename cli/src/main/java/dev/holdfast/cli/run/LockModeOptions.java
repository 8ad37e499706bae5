package dev.holdfast.cli.run;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say beside whom a lock may be held. */
final class LockModeOptions {
    @Option(
            names = {"-s", "--shared"},
            description = "Hold the lock beside others that share it. Those who need it alone say --exclusive; without"
                    + " either, a name is a plain lock, and the two kinds do not mix.")
    private boolean shared;

    @Option(
            names = {"-x", "--exclusive"},
            description = "Hold a lock alone that others take with --shared.")
    private boolean exclusive;

    @Option(
            names = "--permits",
            paramLabel = "N/M",
            description = "Hold N of M permits, so that several may run at once. All users of a name say the same M.")
    private @Nullable String permits;

    LockMode mode() {
        if ((shared ? 1 : 0) + (exclusive ? 1 : 0) + (permits != null ? 1 : 0) > 1) {
            throw new IllegalArgumentException("--shared, --exclusive and --permits exclude each other");
        }
        if (permits != null) {
            return LockMode.permits(permits);
        }
        return shared ? LockMode.SHARED : exclusive ? LockMode.EXCLUSIVE : LockMode.PLAIN;
    }
}
