package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdCluster;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.etcd.EtcdSettings;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three members, and a network between each worker and each of them. */
record EtcdScene(Rig rig, Duration lease) {
    private static final Duration MOMENT = Duration.ofMillis(100);

    /** The shortest that etcd grants. */
    private static final Duration SHORTEST_SESSION = Duration.ofSeconds(2);

    Scene build(int workers) throws InterruptedException {
        EtcdCluster cluster = EtcdCluster.start(rig, EtcdSettings.defaults());
        List<Integer> ports = cluster.nodes().stream().map(EtcdNode::port).toList();
        Networks networks = new Networks(rig, workers, ports, lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        for (int i = 0; i < ports.size(); i++) {
            EtcdNode node = cluster.nodes().get(i);
            String target = "member-" + i;
            faults.add(kind("server-killed", target, node::kill, () -> {
                node.start();
                cluster.awaitServing();
            }));
            faults.add(kind("server-paused", target, node::pause, () -> {
                node.resume();
                cluster.awaitServing();
            }));
            faults.add(kind("member-cut-off", target, () -> cluster.mute(node), () -> {
                cluster.unmute(node);
                cluster.awaitServing();
            }));
        }
        Duration twice = lease.multipliedBy(2);
        Duration session = Duration.ofSeconds((twice.compareTo(SHORTEST_SESSION) < 0 ? SHORTEST_SESSION : twice)
                .plusMillis(999)
                .toSeconds());
        String options = "/torture#session=" + session.toSeconds() + "s";
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            urls.add("etcd://" + networks.addresses(i) + options);
        }
        urls.add("etcd://" + cluster.addresses() + options);
        return new Scene("etcd", List.copyOf(urls), faults, session);
    }

    private FaultKind kind(String word, String target, FaultKind.Step begin, FaultKind.Step end) {
        return new FaultKind(word, target, "servers", 1, MOMENT, lease.multipliedBy(2), Loses.NOTHING, begin, end);
    }
}
