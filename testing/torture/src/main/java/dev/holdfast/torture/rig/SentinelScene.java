package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** A master with two replicas and three sentinels. Clients are told addresses by the sentinels, so no network is between. */
record SentinelScene(Rig rig, Duration lease) {
    private static final Duration MOMENT = Duration.ofMillis(50);

    Scene build(int workers) throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        List<FaultKind> faults = List.of(
                kind("failover", 3, MOMENT, group::failOver, FaultKind.nothing()),
                kind("master-lost", 2, MOMENT, () -> loseMaster(group, false), FaultKind.nothing()),
                kind("master-lost-with-writes", 2, MOMENT, () -> loseMaster(group, true), FaultKind.nothing()),
                kind(
                        "master-paused",
                        2,
                        Duration.ofMillis(600),
                        () -> group.master().pause(),
                        () -> {
                            // Whoever is paused, whatever the sentinels have decided meanwhile.
                            for (RedisNode node : group.nodes()) {
                                if (node.server().isPaused()) {
                                    node.resume();
                                }
                            }
                            group.awaitSettled();
                        }));
        return new Scene("sentinel", Collections.nCopies(workers + 1, group.url()), faults, lease);
    }

    private static void loseMaster(RedisSentinels group, boolean withWrites) throws InterruptedException {
        RedisNode old = group.master();
        if (withWrites) {
            group.holdReplicas();
        }
        group.loseMaster();
        old.start();
        group.awaitSettled();
    }

    private FaultKind kind(String word, int weight, Duration shortest, FaultKind.Step begin, FaultKind.Step end) {
        return new FaultKind(
                word, "group", "servers", weight, shortest, shortest.plus(lease), Loses.FAILOVER, begin, end);
    }
}
