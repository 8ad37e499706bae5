package dev.holdfast.redis.wire;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of a store.
 *
 * @param prefix what all keys and channels begin with
 * @param maxConnections the most connections for commands to one server
 * @param timeout the longest that one call may take
 * @param replicas who has to acknowledge a grant, or null for nobody
 * @param shortWaits how a connection waits for near answers
 * @param clientName what connections are called in the server's lists
 */
public record Settings(
        String prefix,
        int maxConnections,
        Duration timeout,
        @Nullable Replicas replicas,
        Supplier<ShortWait> shortWaits,
        String clientName) {
    public static final String PREFIX = "prefix";
    public static final String MAX_CONNECTIONS = "maxConnections";
    public static final String TIMEOUT = "timeout";
    static final String REPLICAS = "replicas";
    static final String REPLICAS_TIMEOUT = "replicasTimeout";
    public static final Set<String> OPTIONS = Set.of(PREFIX, MAX_CONNECTIONS, TIMEOUT, REPLICAS, REPLICAS_TIMEOUT);

    private static final Set<String> LENT_OPTIONS = Set.of(PREFIX, REPLICAS, REPLICAS_TIMEOUT);
    private static final String DEFAULT_PREFIX = "holdfast";
    private static final int DEFAULT_MAX_CONNECTIONS = 8;
    private static final int MOST_CONNECTIONS = 10_000;
    private static final int MOST_REPLICAS = 100;
    private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);
    private static final Pattern PREFIX_FORM = Pattern.compile("[A-Za-z0-9_.:/-]{1,100}");
    private static final Pattern TIME_FORM = Pattern.compile("([0-9]{1,8})(ms|s)?");

    /** The settings of a store over a client that the program already has, which has its own for connections. */
    public static Settings of(Map<String, String> options, StoreContext context) {
        for (String option : options.keySet()) {
            if (!LENT_OPTIONS.contains(option)) {
                throw new StoreMisconfiguredException("the option '" + option
                        + "' cannot be used with a client of your own; " + new TreeSet<>(LENT_OPTIONS) + " can");
            }
        }
        return of(StoreUri.parse("redis://lent", options, null), context);
    }

    public static Settings of(StoreUri uri, StoreContext context) {
        String prefix = uri.option(PREFIX).orElse(DEFAULT_PREFIX);
        if (!PREFIX_FORM.matcher(prefix).matches()) {
            throw new StoreMisconfiguredException(
                    "the option '" + PREFIX + "' must be 1 to 100 letters, digits or any of _ . : / -");
        }
        Duration timeout = uri.option(TIMEOUT).map(text -> time(TIMEOUT, text)).orElse(context.commandTimeout());
        int connections = number(uri, MAX_CONNECTIONS, 1, MOST_CONNECTIONS).orElse(DEFAULT_MAX_CONNECTIONS);
        return new Settings(
                prefix, connections, timeout, replicas(uri, timeout), context::newShortWait, context.clientName());
    }

    private static @Nullable Replicas replicas(StoreUri uri, Duration timeout) {
        int count = number(uri, REPLICAS, 0, MOST_REPLICAS).orElse(0);
        Duration patience = uri.option(REPLICAS_TIMEOUT)
                .map(text -> time(REPLICAS_TIMEOUT, text))
                .orElse(timeout.dividedBy(2));
        if (patience.compareTo(timeout) >= 0) {
            throw new StoreMisconfiguredException("the option '" + REPLICAS_TIMEOUT
                    + "' must be shorter than the command timeout of " + timeout.toMillis() + " ms");
        }
        return count == 0 ? null : new Replicas(count, patience);
    }

    private static Optional<Integer> number(StoreUri uri, String option, int least, int most) {
        return uri.option(option).map(text -> {
            try {
                int number = Integer.parseInt(text);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException notANumber) {
                throw wrongNumber(option, least, most, notANumber);
            }
            throw wrongNumber(option, least, most, null);
        });
    }

    private static StoreMisconfiguredException wrongNumber(
            String option, int least, int most, @Nullable NumberFormatException cause) {
        return new StoreMisconfiguredException(
                "the option '" + option + "' must be a number from " + least + " to " + most, cause);
    }

    public static Duration time(String option, String text) {
        Matcher form = TIME_FORM.matcher(text);
        if (form.matches()) {
            long amount = Long.parseLong(form.group(1));
            Duration time = "s".equals(form.group(2)) ? Duration.ofSeconds(amount) : Duration.ofMillis(amount);
            if (!time.isZero() && time.compareTo(LONGEST_TIMEOUT) <= 0) {
                return time;
            }
        }
        throw new StoreMisconfiguredException(
                "the option '" + option + "' must be a time from 1 ms to 1 hour, such as '500ms' or '2s'");
    }
}
