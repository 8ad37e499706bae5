package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Three masters with a replica each. Clients are told addresses by the members, so no network is between. */
record ClusterScene(Rig rig, Duration lease) {
    private static final Duration MOMENT = Duration.ofMillis(50);

    /** Keys of different slots, one of each master's at the beginning. */
    private static final List<String> KEYS = List.of("b", "c", "a");

    Scene build(int workers) throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        List<FaultKind> faults = new ArrayList<>();
        for (String key : KEYS) {
            faults.add(kind("failover", key, 2, () -> cluster.failOver(cluster.masterOf(key))));
            faults.add(kind("master-lost", key, 1, () -> loseMaster(cluster, key, false)));
            faults.add(kind("master-lost-with-writes", key, 1, () -> loseMaster(cluster, key, true)));
        }
        return new Scene("cluster", Collections.nCopies(workers + 1, cluster.url()), faults, lease);
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
