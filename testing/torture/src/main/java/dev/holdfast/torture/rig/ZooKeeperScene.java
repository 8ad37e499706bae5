package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperEnsemble;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three members, and a network between each worker and each of them. */
record ZooKeeperScene(Rig rig, Duration lease) {
    private static final Duration MOMENT = Duration.ofMillis(100);

    Scene build(int workers) throws InterruptedException {
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(rig, ZooKeeperSettings.defaults());
        List<Integer> ports = ensemble.nodes().stream().map(ZooKeeperNode::port).toList();
        Networks networks = new Networks(rig, workers, ports, lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        for (int i = 0; i < ports.size(); i++) {
            ZooKeeperNode node = ensemble.nodes().get(i);
            String target = "member-" + i;
            faults.add(kind("server-killed", target, 1, node::kill, () -> {
                node.start();
                ensemble.awaitServing();
            }));
            faults.add(kind("server-paused", target, 1, node::pause, () -> {
                node.resume();
                ensemble.awaitServing();
            }));
            faults.add(kind("member-cut-off", target, 1, () -> ensemble.cutOff(node), () -> {
                ensemble.rejoin(node);
                ensemble.awaitServing();
            }));
        }
        Duration session = lease.multipliedBy(2);
        String options = "/torture#session=" + session.toMillis() + "ms";
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            urls.add("zookeeper://" + networks.addresses(i) + options);
        }
        urls.add("zookeeper://" + ensemble.addresses() + options);
        return new Scene("zookeeper", List.copyOf(urls), faults, session);
    }

    private FaultKind kind(String word, String target, int weight, FaultKind.Step begin, FaultKind.Step end) {
        return new FaultKind(word, target, "servers", weight, MOMENT, lease.multipliedBy(2), Loses.NOTHING, begin, end);
    }
}
