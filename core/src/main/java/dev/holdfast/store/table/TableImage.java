package dev.holdfast.store.table;

import dev.holdfast.spi.Claim;
import java.util.List;

/**
 * Everything that a {@link LockTable} has to remember, as values.
 *
 * @param arrivals how many claims have arrived so far
 * @param claims what holds or waits, in order of arrival
 * @param evictions the last forced release of each name, oldest first
 * @param <C> how a client is known to the table
 */
public record TableImage<C>(long arrivals, List<Entry<C>> claims, List<Eviction> evictions) {

    /**
     * A claim that holds or waits.
     *
     * @param claim what was asked for
     * @param client who asked
     * @param arrival its place in every line
     * @param sinceNanos since when it holds or waits
     * @param expiresAtNanos when it ends
     * @param epochs one per part while it holds, 0 for a part that was given back; none while it waits
     * @param <C> how a client is known to the table
     */
    public record Entry<C>(
            Claim claim, C client, long arrival, long sinceNanos, long expiresAtNanos, List<Long> epochs) {}

    /**
     * A forced release.
     *
     * @param name what was taken away
     * @param by who asked for it
     * @param reason why
     * @param atNanos when
     */
    public record Eviction(String name, String by, String reason, long atNanos) {}
}
