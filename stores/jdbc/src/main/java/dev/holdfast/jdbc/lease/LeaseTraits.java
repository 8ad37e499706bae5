package dev.holdfast.jdbc.lease;

import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** What leases in a database promise. */
final class LeaseTraits {
    private LeaseTraits() {}

    static StoreTraits of(boolean pushes, boolean survivesRestart) {
        Set<Promise> promises = EnumSet.of(
                Promise.FAIR,
                Promise.SEES_WAITERS,
                Promise.READ_WRITE,
                Promise.SEMAPHORE,
                Promise.SEVERAL_NAMES,
                Promise.ATOMIC_NAMES,
                Promise.BETWEEN_PROCESSES,
                Promise.LOSS_BEFORE_REGRANT,
                Promise.PAUSED_HOLDER_IS_REPLACED);
        if (pushes) {
            promises.add(Promise.PUSHES);
        }
        if (survivesRestart) {
            promises.add(Promise.SURVIVES_RESTART);
        }
        String restart = survivesRestart
                ? "committed locks survive a restart;"
                : "committed locks survive a restart only if the server is set to wait for its disk;";
        return new StoreTraits(
                StoreTraits.Expiry.LEASE,
                promises,
                LockOptions.SHORTEST_LEASE,
                Duration.ofDays(3650),
                restart
                        + " a replica that is promoted without the last commits may grant a lock twice; on PostgreSQL with"
                        + " a larger token, elsewhere if its clock is not behind by more than its lag or the operator"
                        + " raises the generation");
    }
}
