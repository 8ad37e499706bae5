package dev.holdfast.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares the clocks of servers with this machine's, and with each other. Used by one thread. */
final class ClockLook {
    private static final Duration MUCH = Duration.ofSeconds(2);
    private static final double MILLIS_PER_SECOND = 1_000;

    private final List<Long> offsets = new ArrayList<>();

    /** A question after the time, which throws what its client throws. */
    interface Question {
        /** {@return the server's time, in milliseconds since 1970} */
        long ask();
    }

    /** Asks a server for the time, and tells how far it is off and how long the answer took. */
    void look(Question question, Findings findings) {
        long before = System.currentTimeMillis();
        long began = System.nanoTime();
        long told = question.ask();
        double tookMillis = (System.nanoTime() - began) / 1e6;
        long offset = told - before - Math.round(tookMillis / 2);
        offsets.add(offset);
        if (Math.abs(offset) < MUCH.toMillis()) {
            findings.ok("clock", String.format(Locale.ROOT, "its clock is as ours (within %.1f s)", bound(offset)));
        } else {
            findings.caution(
                    "clock",
                    String.format(
                            Locale.ROOT,
                            "its clock is %.1f s %s ours",
                            Math.abs(offset) / MILLIS_PER_SECOND,
                            offset > 0 ? "ahead of" : "behind"),
                    "set both by NTP: times that are shown are wrong by that, and tokens of a server that takes over"
                            + " rest on its clock");
        }
    }

    private static double bound(long offset) {
        return (Math.abs(offset) / 100 + 1) / 10.0;
    }

    /** Tells how far the servers are apart, if there are several. */
    void compare(Findings findings) {
        long least = offsets.stream().mapToLong(Long::longValue).min().orElse(0);
        long most = offsets.stream().mapToLong(Long::longValue).max().orElse(0);
        if (most - least >= MUCH.toMillis()) {
            findings.caution(
                    "clocks-apart",
                    String.format(
                            Locale.ROOT, "the servers' clocks are %.1f s apart", (most - least) / MILLIS_PER_SECOND),
                    "set them by NTP: a lease ends by the clock of the server that keeps it");
        }
    }
}
