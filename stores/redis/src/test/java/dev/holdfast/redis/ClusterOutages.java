package dev.holdfast.redis;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.tck.Outages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Outages of all members of a cluster at once, or of four of six. Used by one thread at a time. */
final class ClusterOutages implements Outages {
    private final MappedCluster mapped;
    private final RedisCluster cluster;

    /** The master that goes on answering while others are silent, and its replica. */
    private final List<Integer> spared;

    private final List<RedisNode> killed = new ArrayList<>();
    private boolean failedOver;

    ClusterOutages(MappedCluster mapped) {
        this.mapped = mapped;
        this.cluster = mapped.cluster();
        RedisNode master = cluster.masterOf("spared");
        this.spared = List.of(master.port(), cluster.replicaOf(master).port());
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.store(mapped.stores());
    }

    @Override
    public void begin(Fault fault) throws InterruptedException {
        if (fault == Fault.FAILED_OVER) {
            failedOver = true;
            cluster.failOver(cluster.masterOf("first"));
            return;
        }
        for (RedisNode node : cluster.nodes()) {
            begin(fault, node);
        }
    }

    private void begin(Fault fault, RedisNode node) throws InterruptedException {
        FaultProxy network = mapped.network(node);
        switch (fault) {
            case SILENT -> network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            case PARTLY_SILENT -> {
                if (!spared.contains(node.port())) {
                    network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
                }
            }
            case REFUSED -> {
                network.refuse();
                network.cut();
            }
            case RESET -> {
                // Some before the server has heard of it, the others before the client hears of what was done.
                network.resetOn(
                        Direction.TO_SERVER,
                        Integer.MAX_VALUE,
                        request -> ThreadLocalRandom.current().nextBoolean());
                network.resetOn(Direction.TO_CLIENT, Integer.MAX_VALUE, reply -> true);
                network.reset();
            }
            case SLOW -> network.delay(SLOWNESS.dividedBy(2));
            case REPLIES_LOST -> network.blackHole(Direction.TO_CLIENT);
            case CONNECTIONS_DEAD -> network.abandon();
            case RESTARTED -> {
                killed.add(node);
                node.kill();
            }
            case FAILED_OVER, READS_ONLY -> throw new IllegalArgumentException(fault.explanation());
        }
    }

    @Override
    public void end() throws InterruptedException {
        for (RedisNode node : killed) {
            node.start();
        }
        for (RedisNode node : cluster.nodes()) {
            mapped.network(node).heal();
        }
        if (failedOver || !killed.isEmpty()) {
            cluster.awaitSettled();
        }
        failedOver = false;
        killed.clear();
    }

    @Override
    public boolean silences(String name) {
        return !spared.contains(cluster.masterOf("holdfast:{" + name + "}").port());
    }

    @Override
    public Map<Fault, String> impossible() {
        return Map.of(
                Fault.READS_ONLY,
                "a server that refuses changes truly says that a lock is taken; EndpointsTest has what it refuses");
    }
}
