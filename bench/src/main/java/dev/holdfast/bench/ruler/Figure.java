package dev.holdfast.bench.ruler;

import java.util.Locale;
import java.util.regex.Pattern;

/** Something that is measured. What was not measured is absent, never zero. */
enum Figure {
    /** How often the lock was taken and given back. At least one is assumed: see {@link #GRANTS}. */
    PER_SECOND,
    /** How often the lock was given in the time that counted; nought shows that the rate is only a bound. */
    GRANTS,
    /** How often the lock was given in all, also before and after the time that counted. */
    ENTRIES,
    /** How often the server was asked for each time that the lock was given. */
    REQUESTS_PER_GRANT,
    /** Of any thread. */
    LONGEST_WAIT_MILLIS,
    /** Of any thread that got the lock from another process. */
    LONGEST_SWITCH_MILLIS,
    /** How often the least served thread had the lock, as a share of the mean. */
    LEAST_SERVED,
    /** How often the lock went from process to process. */
    SWITCHES_PER_SECOND,
    /** Median time from the release in one process to the grant in another, or of an acquire: whatever the scenario times. */
    LATENCY_MICROS,
    /** How often the server was asked in one renewal period; what is sent together is asked once. */
    ROUND_TRIPS,
    /** How long the client's process used a processor in one renewal period. */
    CPU_MILLIS,
    /** What a few waiting threads ask of the server each second. */
    REQUESTS_OF_FEW,
    /** What many waiting threads ask of the server each second. */
    REQUESTS_OF_MANY,
    /** 1 if everybody was served in the order of arrival, otherwise 0. */
    IN_ORDER,
    /** Platform threads that were added. */
    MORE_THREADS,
    /** Heap for each lease that is held. */
    BYTES_PER_LEASE,
    /** From the moment in which the holder is killed to the next grant. */
    RECOVERY_MILLIS,
    /** The same, as a multiple of the lease. */
    RECOVERY_LEASES;

    private static final Pattern LATER_WORD = Pattern.compile("_(.)");

    /** The name in JSON. */
    String word() {
        return LATER_WORD
                .matcher(name().toLowerCase(Locale.ROOT))
                .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
    }
}
