package dev.holdfast.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Locale;

/** Stops a process group without the watchdog, which is dead or does not answer. */
final class LastResort {
    private static final String SCRIPT = """
            kill -TERM -- "-$1"; kill -CONT -- "-$1"
            for ((rounds = $2; rounds > 0; rounds--)); do
                kill -0 -- "-$1" || exit 0
                sleep 0.05
            done
            kill -KILL -- "-$1"
            exit 0
            """;

    private static final Duration ROUND = Duration.ofMillis(50);

    private LastResort() {}

    /** Sends TERM, then KILL after the grace time if something is still there. */
    static void stop(long group, Duration grace) throws InterruptedException {
        String rounds = String.format(Locale.ROOT, "%d", grace.dividedBy(ROUND));
        try {
            new ProcessBuilder(
                            System.getProperty("holdfast.bash", "bash"),
                            "-c",
                            SCRIPT,
                            "holdfast",
                            Long.toString(group),
                            rounds)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException failed) {
            throw new SupervisionException(
                    "cannot stop process group " + group + ", which is no longer protected", failed);
        }
    }
}
