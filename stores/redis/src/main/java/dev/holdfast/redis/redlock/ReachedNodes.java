package dev.holdfast.redis.redlock;

import dev.holdfast.spi.OwnerId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers of grants which nodes may hold them, where not all of them may: a node that was silent all the time has nothing
 * to be told of when the grant is given back. What is forgotten here counts as being everywhere. Thread-safe.
 */
final class ReachedNodes {
    private static final int MOST = 10_000;
    private static final long ALL = -1;

    /** By owner, one bit for each node; guarded by this object's monitor. */
    private final Map<OwnerId, Long> byOwner = new LinkedHashMap<>();

    /** Whether there is any, so that the usual case needs no lock. */
    private volatile boolean any;

    /**
     * Notes where a grant may be held.
     *
     * @param nodes one bit for each node
     * @param count how many nodes there are
     */
    void note(OwnerId owner, long nodes, int count) {
        if (Long.bitCount(nodes) < count) {
            synchronized (this) {
                byOwner.put(owner, nodes);
                if (byOwner.size() > MOST) {
                    byOwner.remove(byOwner.keySet().iterator().next());
                }
                any = true;
            }
        }
    }

    /** {@return one bit for each node that may hold an owner's grant} */
    long of(OwnerId owner) {
        if (!any) {
            return ALL;
        }
        synchronized (this) {
            return byOwner.getOrDefault(owner, ALL);
        }
    }

    /** Nothing more will be asked about an owner. */
    void forget(OwnerId owner) {
        if (any) {
            synchronized (this) {
                byOwner.remove(owner);
                any = !byOwner.isEmpty();
            }
        }
    }
}
