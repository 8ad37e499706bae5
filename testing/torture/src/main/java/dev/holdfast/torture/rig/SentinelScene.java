package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A master with two replicas and three sentinels, and a network between each worker and each of them. Clients are told the
 * servers' own addresses, so each worker has a map that leads through its networks.
 */
record SentinelScene(Rig rig, Duration lease) {
    private static final Duration MOMENT = Duration.ofMillis(50);

    Scene build(int workers) throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        List<Integer> ports = Stream.concat(group.sentinels().stream(), group.nodes().stream())
                .map(RedisNode::port)
                .toList();
        Networks networks = new Networks(rig, workers, ports, lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        faults.addAll(List.of(
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
                        })));
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            String sentinels =
                    Networks.join(networks.ports(i).subList(0, group.sentinels().size()));
            urls.add("redis+sentinel://" + sentinels + "/" + group.masterName() + "#" + networks.addressMap(i));
        }
        urls.add(group.url());
        return new Scene("sentinel", List.copyOf(urls), List.copyOf(faults), lease);
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
