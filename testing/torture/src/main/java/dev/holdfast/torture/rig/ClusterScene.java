package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.redis.SlotMove;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Three masters with a replica each, and a network between each worker and each of them. Clients are told the members' own
 * addresses, so each worker has a map that leads through its networks.
 */
record ClusterScene(Rig rig, Duration lease) {
    private static final Duration MOMENT = Duration.ofMillis(50);

    /** Keys of different slots, one of each master's at the beginning. */
    private static final List<String> KEYS = List.of("b", "c", "a");

    /** The rest of the slot's keys follow when the fault ends. */
    private static final int KEYS_MOVED_AT_FIRST = 2;

    Scene build(int workers) throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        List<Integer> ports = cluster.nodes().stream().map(RedisNode::port).toList();
        Networks networks = new Networks(rig, workers, ports, lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        for (int i = 0; i < KEYS.size(); i++) {
            faults.add(slotMove(cluster, KEYS.get(i), KEYS.get((i + 1) % KEYS.size())));
        }
        for (String key : KEYS) {
            faults.add(kind("failover", key, 2, () -> cluster.failOver(cluster.masterOf(key))));
            faults.add(kind("master-lost", key, 1, () -> loseMaster(cluster, key, false)));
            faults.add(kind("master-lost-with-writes", key, 1, () -> loseMaster(cluster, key, true)));
        }
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            urls.add("redis+cluster://" + networks.addresses(i) + "#" + networks.addressMap(i));
        }
        urls.add(cluster.url());
        return new Scene("cluster", List.copyOf(urls), faults, lease);
    }

    /** A slot that is in use is in two places for a while, some of its keys here and some there. */
    private FaultKind slotMove(RedisCluster cluster, String from, String to) {
        AtomicReference<@Nullable SlotMove> move = new AtomicReference<>();
        return new FaultKind(
                "slot-moved",
                "slot-of-" + from,
                "servers",
                2,
                MOMENT,
                lease,
                Loses.NOTHING,
                () -> {
                    RedisNode source = cluster.masterOf(from);
                    RedisNode target = cluster.masterOf(to);
                    if (source.port() != target.port()) {
                        cluster.moveBusySlot(source, target).ifPresent(begun -> {
                            begun.keys(KEYS_MOVED_AT_FIRST);
                            move.set(begun);
                        });
                    }
                },
                () -> {
                    SlotMove begun = move.getAndSet(null);
                    if (begun != null) {
                        begun.finish();
                    }
                });
    }

    private static void loseMaster(RedisCluster cluster, String key, boolean withWrites) throws InterruptedException {
        RedisNode old = cluster.masterOf(key);
        if (withWrites) {
            cluster.holdReplica(old);
        }
        cluster.loseMaster(old);
        old.start();
        cluster.awaitSettled();
    }

    private FaultKind kind(String word, String key, int weight, FaultKind.Step begin) {
        return new FaultKind(
                word, "slot-of-" + key, "servers", weight, MOMENT, lease, Loses.FAILOVER, begin, FaultKind.nothing());
    }
}
