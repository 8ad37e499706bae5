package dev.holdfast.etcd;

import dev.holdfast.spi.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that are over for this client, while the cluster may still have their leases, and everybody's keys with them.
 * Thread-safe.
 */
final class Revocations {
    private final Wire wire;
    private final MonotonicClock clock;

    /** By the lease; until when it is worth remembering. */
    private final Map<Long, Long> untilNanos = new ConcurrentHashMap<>();

    Revocations(Wire wire, MonotonicClock clock) {
        this.wire = wire;
        this.clock = clock;
    }

    /** Has the cluster end a session, without waiting; it is remembered until that is known to be done. */
    void begin(Session session) {
        long now = clock.nanos();
        untilNanos.values().removeIf(until -> until - now <= 0);
        // Nobody keeps it alive any more, but a new leader would give it its whole time once more.
        untilNanos.put(session.id(), now + 2 * session.timeout().toNanos());
        wire.revoke(session.id()).thenRun(() -> untilNanos.remove(session.id()));
    }

    /** Ends the last session and what was not answered for the others, as far as the time of the call allows. */
    void finish(@Nullable Session last, Call call) {
        List<Long> leases = new ArrayList<>();
        if (last != null) {
            leases.add(last.id());
        }
        leases.addAll(untilNanos.keySet());
        for (Long lease : leases) {
            try {
                wire.revokeNow(lease, call);
            } catch (Wire.LeaseGone already) {
                continue;
            } catch (RuntimeException unanswered) {
                // The leases end by themselves.
                return;
            }
        }
    }
}
