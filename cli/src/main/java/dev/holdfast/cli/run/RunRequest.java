package dev.holdfast.cli.run;

import dev.holdfast.LockOptions;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.store.Settings;
import dev.holdfast.cli.store.Stores;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the user wants of {@code run}.
 *
 * @param url the store, or null for the usual one
 * @param names the locks, separated by commas
 * @param patience how long to wait for them; zero not to wait, empty to wait without limit
 * @param lease how long the store keeps the locks without a renewal
 * @param grace how long the command has from TERM to KILL
 * @param label what others see beside our name
 * @param mode beside whom the locks may be held
 * @param terms what is unusual about it
 */
public record RunRequest(
        @Nullable String url,
        String names,
        Optional<Duration> patience,
        Duration lease,
        Duration grace,
        String label,
        LockMode mode,
        Terms terms) {

    /** Checks the durations; throws {@link IllegalArgumentException} that names the wrong one. */
    public RunRequest {
        within("--lease", lease, LockOptions.SHORTEST_LEASE);
        within("--grace", grace, Duration.ZERO);
        within("--at-least", terms.atLeast(), Duration.ZERO);
        terms.atMost().ifPresent(most -> within("--at-most", most, SHORTEST_LIMIT));
        mode.check(names);
    }

    /**
     * What a run may ask for besides.
     *
     * @param atLeast how long the lock is kept even if the command ends sooner
     * @param atMost when the command is stopped; empty for never
     * @param busyCode the exit code if the lock was not free in time
     * @param skips whether a lock that is not free is nothing to complain about
     */
    record Terms(Duration atLeast, Optional<Duration> atMost, int busyCode, boolean skips) {
        static final Terms USUAL = new Terms(Duration.ZERO, Optional.empty(), Exit.NOT_OBTAINED, false);
    }

    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(10);

    static final Duration USUAL_GRACE = Duration.ofSeconds(5);

    /** Enough for a handler of TERM to say what it has to; the lock may be somebody else's already. */
    private static final Duration LONGEST_LAST_WORDS = Duration.ofMillis(50);

    /** Makes one; what is not given is what is set, or else the usual. */
    static RunRequest of(
            @Nullable String url,
            String names,
            Optional<Duration> patience,
            @Nullable Duration lease,
            @Nullable Duration grace,
            String label,
            LockMode mode,
            Terms terms) {
        Settings settings = Settings.ofThisProcess();
        return new RunRequest(
                url,
                names,
                patience,
                settings.duration(lease, Settings.Key.LEASE, Stores.USUAL_LEASE),
                settings.duration(grace, Settings.Key.GRACE, USUAL_GRACE),
                label,
                mode,
                terms);
    }

    /** The command's name without its arguments, which may be secrets, unless there is a label. */
    static String label(@Nullable String label, String command) {
        if (label != null) {
            return label;
        }
        String name = Printable.of(command.substring(command.lastIndexOf('/') + 1));
        return Printable.shortened(name, LockOptions.LONGEST_LABEL / 2);
    }

    private static void within(String option, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(LockOptions.LONGEST) > 0) {
            throw new IllegalArgumentException(option + " must be from " + Durations.exact(least) + " to "
                    + LockOptions.LONGEST.toDays() + "d, but was " + Durations.exact(value));
        }
    }

    /** {@return how long the command has from TERM to KILL when the lock is gone already} */
    Duration lastWords() {
        return grace.compareTo(LONGEST_LAST_WORDS) < 0 ? grace : LONGEST_LAST_WORDS;
    }
}
