package dev.holdfast.cli.console;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write and read them: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, {@code 7d}. */
public final class Durations {
    /** Few enough digits for days to fit into milliseconds. */
    private static final Pattern FORM = Pattern.compile("(\\d{1,10})(ms|s|m|h|d)");

    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException that names the text and shows examples
     */
    public static Duration parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "'" + Printable.of(text) + "' is not a duration; write one like 500ms, 10s, 2m or 1h");
        }
        long count = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }

    /** Writes a duration so that {@link #parse} reads it; for messages about what the user has written. */
    public static String exact(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }

    /** Writes an age in at most six characters. */
    public static String age(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < MINUTE) {
            return seconds + "s";
        }
        if (seconds < HOUR) {
            return pair(seconds / MINUTE, "m", seconds % MINUTE, "s");
        }
        if (seconds < DAY) {
            return pair(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m");
        }
        return seconds < 100 * DAY ? pair(seconds / DAY, "d", seconds % DAY / HOUR, "h") : seconds / DAY + "d";
    }

    private static String pair(long large, String largeUnit, long small, String smallUnit) {
        return large + largeUnit + (small < 10 ? "0" : "") + small + smallUnit;
    }
}
