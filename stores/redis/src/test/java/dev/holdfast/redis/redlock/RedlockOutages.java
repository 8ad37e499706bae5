package dev.holdfast.redis.redlock;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.tck.Outages;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Outages of all nodes of a quorum at once. Used by one thread at a time. */
final class RedlockOutages implements Outages {
    private final RedlockNodes nodes;
    private final String options;
    private boolean killed;

    RedlockOutages(RedlockNodes nodes, String options) {
        this.nodes = nodes;
        this.options = options;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.url(nodes.urlBehindNetworks(options));
    }

    @Override
    public void begin(Fault fault) throws InterruptedException {
        killed = fault == Fault.RESTARTED;
        for (int node = 0; node < nodes.count(); node++) {
            begin(fault, node);
        }
    }

    private void begin(Fault fault, int node) throws InterruptedException {
        FaultProxy network = nodes.network(node);
        switch (fault) {
            case SILENT -> network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            case REFUSED -> {
                network.refuse();
                network.cut();
            }
            case RESET -> {
                // Some before the node has heard of it, the others before the client hears of what was done.
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
            case RESTARTED -> nodes.node(node).kill();
            case READS_ONLY -> nodes.node(node).ask("CONFIG", "SET", "min-replicas-to-write", "1");
            case PARTLY_SILENT, FAILED_OVER -> throw new IllegalArgumentException(fault.explanation());
        }
    }

    @Override
    public void end() throws InterruptedException {
        for (int node = 0; node < nodes.count(); node++) {
            if (killed) {
                nodes.node(node).start();
            }
            nodes.network(node).heal();
            nodes.node(node).ask("CONFIG", "SET", "min-replicas-to-write", "0");
        }
        killed = false;
    }

    @Override
    public Map<Fault, String> impossible() {
        return Map.of(
                Fault.PARTLY_SILENT, "every name is on every node",
                Fault.FAILED_OVER, "the nodes are independent, and nobody takes a node's place");
    }
}
