package dev.holdfast.cli.guard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The clock that this process shares with the watchdog: {@code /proc/uptime}, in hundredths of a second. */
public final class BootClock {
    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final int MILLIS_PER_TICK = 10;

    private BootClock() {}

    /** {@return the time, rounded down} */
    public static long ticks() {
        try {
            String text = Files.readString(UPTIME, StandardCharsets.US_ASCII);
            return Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", ""));
        } catch (IOException missing) {
            throw new UncheckedIOException("cannot read " + UPTIME, missing);
        }
    }

    /** {@return a duration in ticks, rounded down} */
    public static long ticks(Duration duration) {
        return duration.toMillis() / MILLIS_PER_TICK;
    }
}
