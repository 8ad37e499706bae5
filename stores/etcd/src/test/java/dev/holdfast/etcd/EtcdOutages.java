package dev.holdfast.etcd;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdCluster;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.tck.Outages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Outages of one server or of a cluster, each member behind a proxy of its own. Used by one thread at a time. */
final class EtcdOutages implements Outages {
    /** So long that nothing ends with it: what is left of a request that was given up has to be cleared away. */
    static final String WHERE = "/outage#session=60s";

    private final List<EtcdNode> nodes;
    private final List<FaultProxy> proxies = new ArrayList<>();
    private final @Nullable EtcdCluster cluster;

    /** Whether a member has the alarm of a full disk. */
    private boolean isFull;

    private EtcdOutages(Rig rig, List<EtcdNode> nodes, @Nullable EtcdCluster cluster) {
        this.nodes = nodes;
        this.cluster = cluster;
        nodes.forEach(node -> proxies.add(FaultProxy.before(rig, node.port())));
    }

    static EtcdOutages of(Rig rig, EtcdNode node) {
        return new EtcdOutages(rig, List.of(node), null);
    }

    static EtcdOutages of(Rig rig, EtcdCluster cluster) {
        return new EtcdOutages(rig, cluster.nodes(), cluster);
    }

    /** Where clients are that do not suffer. */
    String url() {
        return "etcd://" + nodes.stream().map(EtcdNode::address).collect(Collectors.joining(",")) + WHERE;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.url("etcd://"
                + proxies.stream().map(proxy -> "127.0.0.1:" + proxy.port()).collect(Collectors.joining(",")) + WHERE);
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
            case RESET -> proxies.forEach(EtcdOutages::resetInTheMiddle);
            case SLOW -> proxies.forEach(proxy -> proxy.delay(SLOWNESS.dividedBy(2)));
            case REPLIES_LOST -> proxies.forEach(proxy -> proxy.blackHole(Direction.TO_CLIENT));
            case CONNECTIONS_DEAD -> proxies.forEach(FaultProxy::abandon);
            case RESTARTED -> {
                for (EtcdNode node : nodes) {
                    node.kill();
                }
            }
            case FAILED_OVER -> {
                if (cluster != null) {
                    cluster.leader().kill();
                }
            }
            case READS_ONLY -> {
                isFull = true;
                alarm("ACTIVATE");
            }
            case PARTLY_SILENT -> throw new IllegalArgumentException(fault.explanation());
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

    /** A member with an alarm does not call itself healthy, so the alarm goes first. */
    @Override
    public void end() throws InterruptedException {
        for (EtcdNode node : nodes) {
            if (!node.server().isRunning()) {
                node.start();
            }
        }
        if (isFull) {
            alarm("DEACTIVATE");
            isFull = false;
        }
        for (EtcdNode node : nodes) {
            node.awaitServing();
        }
        proxies.forEach(FaultProxy::heal);
    }

    /** What etcd does when its disk is full: it takes nothing new, but still deletes. */
    private void alarm(String action) {
        String members =
                nodes.get(0).ask("/v3/maintenance/status", "{}").replaceAll(".*\"member_id\":\"([0-9]+)\".*", "$1");
        nodes.get(0)
                .ask(
                        "/v3/maintenance/alarm",
                        "{\"action\":\"" + action + "\",\"memberID\":\"" + members + "\",\"alarm\":\"NOSPACE\"}");
    }

    @Override
    public Map<Fault, String> impossible() {
        Map<Fault, String> impossible =
                new TreeMap<>(Map.of(Fault.PARTLY_SILENT, "a client asks one member for all of its names"));
        if (cluster == null) {
            impossible.put(Fault.FAILED_OVER, "there is one server");
        }
        return impossible;
    }
}
