package dev.holdfast.redis.redlock;

import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The options of a Redlock store.
 *
 * @param common those that every store on Redis has
 * @param nodeTimeout how long one node may take to answer before its word does not count
 * @param maxLease the longest lease; a node that lost its memory waits as long before it votes again
 * @param fresh whether nodes that are all empty have never been used, so that nothing has to be waited for
 */
public record RedlockSettings(Settings common, Duration nodeTimeout, Duration maxLease, boolean fresh) {
    static final String NODE_TIMEOUT = "nodeTimeout";
    static final String MAX_LEASE = "maxLease";
    static final String FRESH = "fresh";
    public static final Set<String> OPTIONS = options();

    private static final Duration DEFAULT_NODE_TIMEOUT = Duration.ofMillis(50);
    private static final Duration DEFAULT_MAX_LEASE = Duration.ofSeconds(30);
    private static final Duration LONGEST_BACKGROUND_CALL = Duration.ofSeconds(2);

    /** A handshake is several round trips and much arithmetic. */
    private static final int TLS_FACTOR = 4;

    private static Set<String> options() {
        Set<String> options = new HashSet<>(ConnectionSettings.OPTIONS);
        options.addAll(Set.of(
                ConnectionSettings.ADDRESS_MAP,
                Settings.PREFIX,
                Settings.MAX_CONNECTIONS,
                Settings.TIMEOUT,
                NODE_TIMEOUT,
                MAX_LEASE,
                FRESH));
        return Set.copyOf(options);
    }

    public static RedlockSettings of(StoreUri uri, StoreContext context) {
        Duration nodeTimeout = uri.option(NODE_TIMEOUT)
                .map(text -> Settings.time(NODE_TIMEOUT, text))
                .orElse(DEFAULT_NODE_TIMEOUT);
        Duration maxLease = uri.option(MAX_LEASE)
                .map(text -> Settings.time(MAX_LEASE, text))
                .orElse(DEFAULT_MAX_LEASE);
        if (maxLease.compareTo(LockOptions.SHORTEST_LEASE) < 0) {
            throw new StoreMisconfiguredException("the option '" + MAX_LEASE + "' must be at least "
                    + LockOptions.SHORTEST_LEASE.toMillis() + " ms, the shortest lease");
        }
        String fresh = uri.option(FRESH).orElse("false");
        if (!fresh.equals("true") && !fresh.equals("false")) {
            throw new StoreMisconfiguredException("the option '" + FRESH + "' must be 'true' or 'false'");
        }
        return new RedlockSettings(Settings.of(uri, context), nodeTimeout, maxLease, fresh.equals("true"));
    }

    /** For connections on which locks are asked for: connecting must not take long either. */
    Settings forAsking(boolean tls) {
        return with(tls ? nodeTimeout.multipliedBy(TLS_FACTOR) : nodeTimeout);
    }

    /** For what is done in the background, where a slow answer is better than none. */
    Settings forBackground() {
        return with(
                common.timeout().compareTo(LONGEST_BACKGROUND_CALL) < 0 ? common.timeout() : LONGEST_BACKGROUND_CALL);
    }

    private Settings with(Duration timeout) {
        return new Settings(
                common.prefix(), common.maxConnections(), timeout, null, common.shortWaits(), common.clientName());
    }
}
