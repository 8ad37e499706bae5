package dev.holdfast.redis.wire;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The numbers that several scripts share, written once: those here, and where fields of records stand
 * ({@link RecordField}). In a script's file stands {@code @NAME@}; before it is sent, the number takes its place, so that it
 * costs nothing to have a name. Times are milliseconds.
 */
public final class ScriptNumbers {
    /** From when epochs count: 2025-01-01. */
    public static final long ORIGIN_MILLIS = 1_735_689_600_000L;

    private static final Pattern NAME = Pattern.compile("@([A-Z_]+)@");

    private static final Map<String, Long> NUMBERS = Map.ofEntries(
            Map.entry("ORIGIN", ORIGIN_MILLIS),
            Map.entry("LAST_EPOCH", (1L << 51) - 1),
            // How far a client's clock may be ahead of that of a node of a quorum.
            Map.entry("MOST_AHEAD", 3_600_000L),
            // How long keys live when they are written, and how little of it may be left.
            Map.entry("KEPT", 259_200_000L),
            Map.entry("KEPT_AT_LEAST", 172_800_000L),
            // How long a grant lasts that its client has not confirmed.
            Map.entry("PROVISIONAL", 3_000L),
            Map.entry("CLUSTER_PROVISIONAL", 2_000L),
            // How long a waiter may be silent, and how long if it cannot be told or was asked.
            Map.entry("PATIENCE", 20_000L),
            Map.entry("ABSENT", 6_000L),
            // When those who wait ask again at the latest; when the first in line does, who tells the holder each time
            // that it
            // is wanted, and if that holder was seen not to listen; and when everybody does if nobody holds.
            Map.entry("LONGEST_HINT", 5_000L),
            Map.entry("CLUSTER_HINT", 2_000L),
            Map.entry("FIRST_HINT", 1_500L),
            Map.entry("DEAF_HINT", 500L),
            Map.entry("IDLE_HINT", 250L),
            // How many waiters are too many to be left alone.
            Map.entry("LONG_LINE", 32L));

    private ScriptNumbers() {}

    /** {@return a script with numbers in place of their names} */
    static String fillIn(String script) {
        return NAME.matcher(script).replaceAll(named -> number(named.group(1)));
    }

    private static String number(String name) {
        Long number = NUMBERS.containsKey(name) ? NUMBERS.get(name) : RecordField.number(name);
        if (number == null) {
            throw new IllegalStateException("a script uses a number without a value: " + name);
        }
        return Matcher.quoteReplacement(number.toString());
    }
}
