package dev.holdfast.cli.guard;

import dev.holdfast.cli.event.SupervisionException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Locale;

/** Stops a process group without the watchdog, which is dead or does not answer. */
public final class LastResort {
    private static final String SCRIPT = """
            strays() { [[ -z $mark ]] || grep -slF -e "$mark" /proc/[0-9]*/environ | tr -cd '0-9\\n'; }
            mark=$3
            kill -TERM -- "-$1" $(strays); kill -CONT -- "-$1" $(strays)
            for ((rounds = $2; rounds > 0; rounds--)); do
                kill -0 -- "-$1" || [[ -n $(strays) ]] || exit 0
                sleep 0.05
            done
            kill -KILL -- "-$1"
            for ((rounds = 100; rounds > 0; rounds--)); do
                found=$(strays)
                [[ -n $found ]] || exit 0
                kill -KILL $found
                sleep 0.05
            done
            exit 0
            """;

    private static final String MARK_PROPERTY = "holdfast.mark";

    private static final Duration ROUND = Duration.ofMillis(50);

    private LastResort() {}

    /** Sends a signal to one process. */
    public static void signal(long process, String name) throws InterruptedException {
        try {
            new ProcessBuilder(
                            System.getProperty("holdfast.bash", "bash"),
                            "-c",
                            "kill -s \"$1\" \"$2\"",
                            "holdfast",
                            name,
                            Long.toString(process))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException failed) {
            throw new SupervisionException("cannot tell process " + process + " that its lock is gone", failed);
        }
    }

    /** Sends TERM, then KILL after the grace time if something is still there. */
    public static void stop(long group, Duration grace) throws InterruptedException {
        String rounds = String.format(Locale.ROOT, "%d", grace.dividedBy(ROUND));
        try {
            new ProcessBuilder(
                            System.getProperty("holdfast.bash", "bash"),
                            "-c",
                            SCRIPT,
                            "holdfast",
                            Long.toString(group),
                            rounds,
                            System.getProperty(MARK_PROPERTY, ""))
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
