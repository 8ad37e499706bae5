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

    private static final String FROM_ROWS = " tokens go on growing if the promoted replica lacks no commits, or the"
            + " servers' clocks agree better than its lag";

    private static final String FROM_A_SEQUENCE =
            " tokens go on growing if the servers' clocks agree, except that those"
                    + " drawn within 10 s after a client connected may repeat if the promoted replica lacks them";

    private SessionTraits() {}

    /**
     * Tells them.
     *
     * @param shares whether names can be locked for less than their capacity
     * @param sequence whether tokens are drawn from a sequence of PostgreSQL, which a replica follows with some delay
     * @return the traits
     */
    public static StoreTraits of(boolean shares, boolean sequence) {
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
                LOCKS + (sequence ? FROM_A_SEQUENCE : FROM_ROWS));
    }
}
