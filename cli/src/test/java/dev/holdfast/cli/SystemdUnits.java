package dev.holdfast.cli;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/** What systemd thinks of units; nothing is started. */
final class SystemdUnits {
    private SystemdUnits() {}

    /** Without {@code systemd-analyze} a test is skipped, and says so. */
    static void assumeVerifiable(Sandbox sandbox, String units) {
        Assumptions.assumeTrue(
                sandbox.bash("type -P systemd-analyze >/dev/null").exitCode() == 0,
                "there is no systemd-analyze on this machine, so " + units + " were not verified");
    }

    /** What systemd finds wrong with a unit in the sandbox; it also talks about units of the machine. */
    static String complaints(Sandbox sandbox, String unit) {
        Launched verify = sandbox.bash("systemd-analyze verify \"$PWD/$1\"", unit);
        verify.exitCode();
        String directory = sandbox.path("").toString();
        return (verify.out() + verify.err())
                .lines()
                .filter(line -> line.contains(directory) || line.startsWith(unit))
                .collect(Collectors.joining("\n"));
    }
}
