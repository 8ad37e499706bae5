package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Server;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which server has each slot of a cluster. What was learned is never taken back: a member that lags behind, or was cut off,
 * names an owner with a smaller epoch, and whoever asked that one under the larger generation could get a token that the
 * true owner gives too. Read by many threads, changed by one at a time.
 */
final class SlotOwners {
    private static final int SLOTS = 16_384;

    private final AtomicReferenceArray<@Nullable Owned> bySlot = new AtomicReferenceArray<>(SLOTS);

    private record Owned(String id, Route route) {}

    @Nullable
    Route routeTo(int slot) {
        Owned owned = bySlot.get(slot);
        return owned == null ? null : owned.route;
    }

    /** {@return every server that has a slot} */
    Set<Server> servers() {
        Set<Server> servers = new HashSet<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            Owned owned = bySlot.get(slot);
            if (owned != null) {
                servers.add(owned.route.server());
            }
        }
        return servers;
    }

    /** Takes over what a member has told. */
    void learn(ClusterMap told, Function<HostAndPort, Server> servers) {
        for (ClusterMap.Owner owner : told.masters()) {
            Owned owned = new Owned(owner.id(), new Route(servers.apply(owner.address()), owner.epoch()));
            for (int[] range : owner.ranges()) {
                for (int slot = range[0]; slot <= range[1]; slot++) {
                    learn(slot, owned, told);
                }
            }
        }
    }

    private void learn(int slot, Owned told, ClusterMap map) {
        Owned known = bySlot.get(slot);
        if (known == null || known.route.generation() <= told.route.generation()) {
            bySlot.set(slot, known != null && known.equals(told) ? known : told);
        } else if (!map.members().contains(known.id)) {
            // The owner is no member any more: the cluster was made anew, and counts from the beginning.
            bySlot.set(slot, new Owned(told.id, new Route(told.route.server(), known.route.generation())));
        }
    }
}
