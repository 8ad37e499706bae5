package dev.holdfast.jdbc.session;

import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** What locks that a session of the database holds promise. */
public final class SessionTraits {
    private static final String LOCKS =
            "locks end with the connection that holds them, so a restart or failover of the server ends all of them;"
                    + " the holder is told within a second, which may be after somebody else was granted the lock;";

    private static final String TOKENS =
            " tokens of a promoted replica of PostgreSQL are larger than those of the server"
                    + " before; elsewhere that takes a replica that lacks no commits, clocks that agree better than its lag, or a"
                    + " generation that the operator raises";

    private SessionTraits() {}

    /**
     * Tells them.
     *
     * @param shares whether names can be locked for less than their capacity
     * @return the traits
     */
    public static StoreTraits of(boolean shares) {
        Set<Promise> promises = EnumSet.of(
                Promise.SEVERAL_NAMES, Promise.ATOMIC_NAMES, Promise.BETWEEN_PROCESSES, Promise.DEATH_SEEN_AT_ONCE);
        if (shares) {
            promises.add(Promise.READ_WRITE);
            promises.add(Promise.SEMAPHORE);
        }
        return new StoreTraits(
                StoreTraits.Expiry.SESSION,
                promises,
                LockOptions.SHORTEST_LEASE,
                Duration.ofDays(3650),
                LOCKS + TOKENS);
    }
}
