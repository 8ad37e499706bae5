package dev.holdfast.server.api;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as they are written in JSON: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, {@code 7d}. */
public final class Durations {
    /** Few enough digits for days to fit into milliseconds. */
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @param text the text
     * @return the duration
     * @throws IllegalArgumentException that shows examples
     */
    public static Duration parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("that is not a duration; write one like \"500ms\", \"10s\" or \"2m\"");
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
}
