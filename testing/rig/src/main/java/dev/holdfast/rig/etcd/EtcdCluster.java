package dev.holdfast.rig.etcd;

import dev.holdfast.rig.Eventually;
import dev.holdfast.rig.PortReservation;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Three etcd servers that elect a leader. The others reach each of them through a proxy, so that a member can be made mute.
 * Used by one thread at a time.
 */
public final class EtcdCluster {
    private static final int MEMBERS = 3;
    private static final Duration TIME_TO_SETTLE = Duration.ofSeconds(60);

    private final List<EtcdNode> nodes;
    private final List<FaultProxy> proxies;

    private EtcdCluster(List<EtcdNode> nodes, List<FaultProxy> proxies) {
        this.nodes = nodes;
        this.proxies = proxies;
    }

    /**
     * Starts all three and waits until they serve clients.
     *
     * @param rig in which they run
     * @param settings how each is set up
     * @return the running cluster
     * @throws InterruptedException if interrupted
     */
    public static EtcdCluster start(Rig rig, EtcdSettings settings) throws InterruptedException {
        Path binary = EtcdBinary.find();
        List<Integer> ports = new ArrayList<>();
        List<FaultProxy> proxies = new ArrayList<>();
        List<String> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            ports.add(rig.keep(PortReservation.take()).port());
            proxies.add(FaultProxy.before(rig, ports.get(i)));
            members.add("m" + i + "=http://127.0.0.1:" + proxies.get(i).port());
        }
        List<EtcdNode> nodes = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            nodes.add(new EtcdNode(rig.start(
                    "etcd",
                    new EtcdLaunch(
                            binary,
                            settings,
                            "m" + i,
                            ports.get(i),
                            "http://127.0.0.1:" + proxies.get(i).port(),
                            String.join(",", members)))));
        }
        EtcdCluster cluster = new EtcdCluster(List.copyOf(nodes), List.copyOf(proxies));
        cluster.awaitServing();
        return cluster;
    }

    /** {@return the addresses of all members, as in a URL} */
    public String addresses() {
        return nodes.stream().map(EtcdNode::address).collect(Collectors.joining(","));
    }

    /** {@return the three members, whatever their present roles} */
    public List<EtcdNode> nodes() {
        return nodes;
    }

    /**
     * Waits until there is a leader.
     *
     * @return the leader
     * @throws InterruptedException if interrupted
     */
    public EtcdNode leader() throws InterruptedException {
        Eventually.await("a leader", TIME_TO_SETTLE, () -> nodes.stream().anyMatch(EtcdNode::leads));
        return nodes.stream()
                .filter(EtcdNode::leads)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the leader is gone again"));
    }

    /**
     * Waits until every member that is running serves clients.
     *
     * @throws InterruptedException if interrupted
     */
    public void awaitServing() throws InterruptedException {
        for (EtcdNode node : nodes) {
            if (node.server().isRunning() && !node.server().isPaused()) {
                node.awaitServing();
            }
        }
    }

    /**
     * Keeps the other members from hearing a member, without telling anybody: they fetch its messages through its proxy. It
     * goes on hearing them. A leader is replaced, and a follower can forward nothing. One whose messages nobody fetches at
     * that moment would post them instead, so it is looked at, and muted again once they are fetched.
     *
     * @param node the member
     * @throws InterruptedException if interrupted
     */
    public void mute(EtcdNode node) throws InterruptedException {
        FaultProxy proxy = proxies.get(nodes.indexOf(node));
        Eventually.await(node.server().name() + " heard by nobody", TIME_TO_SETTLE, () -> {
            proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            if (!node.isHeard()) {
                return true;
            }
            unmute(node);
            return false;
        });
    }

    /**
     * Ends {@link #mute}.
     *
     * @param node the member
     */
    public void unmute(EtcdNode node) {
        proxies.get(nodes.indexOf(node)).reset();
        proxies.get(nodes.indexOf(node)).heal();
    }
}
