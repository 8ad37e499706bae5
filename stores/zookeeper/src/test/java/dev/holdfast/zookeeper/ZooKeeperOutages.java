package dev.holdfast.zookeeper;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperEnsemble;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.tck.Outages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Outages of one server or of an ensemble, each member behind a proxy of its own. Used by one thread at a time. */
final class ZooKeeperOutages implements Outages {
    /** So long that nothing ends with it: what is left of a request that was given up has to be cleared away. */
    private static final String SESSION = "60s";

    private final String where;
    private final List<ZooKeeperNode> nodes;
    private final List<FaultProxy> proxies = new ArrayList<>();
    private final @Nullable ZooKeeperEnsemble ensemble;

    private ZooKeeperOutages(Rig rig, Mode mode, List<ZooKeeperNode> nodes, @Nullable ZooKeeperEnsemble ensemble) {
        this.where = "/outage#session=" + SESSION + "&mode=" + mode.word();
        this.nodes = nodes;
        this.ensemble = ensemble;
        nodes.forEach(node -> proxies.add(FaultProxy.before(rig, node.port())));
    }

    static ZooKeeperOutages of(Rig rig, Mode mode, ZooKeeperNode node) {
        return new ZooKeeperOutages(rig, mode, List.of(node), null);
    }

    static ZooKeeperOutages of(Rig rig, ZooKeeperEnsemble ensemble) {
        return new ZooKeeperOutages(rig, Mode.FAIR, ensemble.nodes(), ensemble);
    }

    /** Where clients are that do not suffer. */
    String url() {
        return "zookeeper://" + nodes.stream().map(ZooKeeperNode::address).collect(Collectors.joining(",")) + where;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.url("zookeeper://"
                + proxies.stream().map(proxy -> "127.0.0.1:" + proxy.port()).collect(Collectors.joining(",")) + where);
    }

    @Override
    public void begin(Fault fault) throws InterruptedException {
        switch (fault) {
            case SILENT -> proxies.forEach(proxy -> proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT));
            case REFUSED -> {
                for (FaultProxy proxy : proxies) {
                    proxy.refuse();
                    proxy.cut();
                }
            }
            case RESET -> proxies.forEach(ZooKeeperOutages::resetInTheMiddle);
            case SLOW -> proxies.forEach(proxy -> proxy.delay(SLOWNESS.dividedBy(2)));
            case REPLIES_LOST -> proxies.forEach(proxy -> proxy.blackHole(Direction.TO_CLIENT));
            case CONNECTIONS_DEAD -> proxies.forEach(FaultProxy::abandon);
            case RESTARTED -> {
                for (ZooKeeperNode node : nodes) {
                    node.kill();
                }
            }
            case FAILED_OVER -> {
                if (ensemble != null) {
                    ensemble.leader().kill();
                }
            }
            case PARTLY_SILENT, READS_ONLY -> throw new IllegalArgumentException(fault.explanation());
        }
    }

    /** Some before the server has heard of it, the others before the client hears of what was done. */
    private static void resetInTheMiddle(FaultProxy proxy) {
        proxy.resetOn(
                Direction.TO_SERVER,
                Integer.MAX_VALUE,
                request -> ThreadLocalRandom.current().nextBoolean());
        proxy.resetOn(Direction.TO_CLIENT, Integer.MAX_VALUE, reply -> true);
        proxy.reset();
    }

    @Override
    public void end() throws InterruptedException {
        for (ZooKeeperNode node : nodes) {
            if (!node.server().isRunning()) {
                node.start();
            }
        }
        for (ZooKeeperNode node : nodes) {
            node.awaitServing();
        }
        proxies.forEach(FaultProxy::heal);
    }

    @Override
    public Map<Fault, String> impossible() {
        Map<Fault, String> impossible = new TreeMap<>(Map.of(
                Fault.PARTLY_SILENT, "a client is attached to one server for all of its names",
                Fault.READS_ONLY, "a server that takes no changes from its clients does not serve them"));
        if (ensemble == null) {
            impossible.put(Fault.FAILED_OVER, "there is one server");
        }
        return impossible;
    }
}
