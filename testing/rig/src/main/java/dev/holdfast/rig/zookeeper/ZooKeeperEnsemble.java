package dev.holdfast.rig.zookeeper;

import dev.holdfast.rig.Eventually;
import dev.holdfast.rig.PortReservation;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Three ZooKeeper servers that elect a leader. Every connection between two of them goes through a proxy, so that a member
 * can be cut from the others while clients stay attached to it. Used by one thread at a time.
 */
public final class ZooKeeperEnsemble {
    private static final int MEMBERS = 3;
    private static final Duration TIME_TO_SETTLE = Duration.ofSeconds(60);

    private final List<ZooKeeperNode> nodes;

    /** The proxies by which one member (first index) reaches another (second). */
    private final List<List<List<FaultProxy>>> routes;

    private ZooKeeperEnsemble(List<ZooKeeperNode> nodes, List<List<List<FaultProxy>>> routes) {
        this.nodes = nodes;
        this.routes = routes;
    }

    /**
     * Starts all three and waits until they serve clients.
     *
     * @param rig in which they run
     * @param settings how each is set up
     * @return the running ensemble
     * @throws InterruptedException if interrupted
     */
    public static ZooKeeperEnsemble start(Rig rig, ZooKeeperSettings settings) throws InterruptedException {
        List<Integer> quorumPorts = reserve(rig);
        List<Integer> electionPorts = reserve(rig);
        List<List<List<FaultProxy>>> routes = new ArrayList<>();
        List<ZooKeeperNode> nodes = new ArrayList<>();
        for (int from = 0; from < MEMBERS; from++) {
            List<List<FaultProxy>> byTarget = new ArrayList<>();
            List<String> lines = new ArrayList<>();
            for (int to = 0; to < MEMBERS; to++) {
                List<FaultProxy> pair = from == to
                        ? List.of()
                        : List.of(
                                FaultProxy.before(rig, quorumPorts.get(to)),
                                FaultProxy.before(rig, electionPorts.get(to)));
                byTarget.add(pair);
                int quorum = from == to ? quorumPorts.get(to) : pair.get(0).port();
                int election = from == to ? electionPorts.get(to) : pair.get(1).port();
                lines.add("server." + (to + 1) + "=127.0.0.1:" + quorum + ":" + election);
            }
            routes.add(List.copyOf(byTarget));
            nodes.add(new ZooKeeperNode(
                    rig.start("zookeeper", new ZooKeeperLaunch(settings, from + 1, List.copyOf(lines)))));
        }
        ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(List.copyOf(nodes), List.copyOf(routes));
        ensemble.awaitServing();
        return ensemble;
    }

    /** {@return the addresses of all members, as in a connection string} */
    public String addresses() {
        return nodes.stream().map(ZooKeeperNode::address).collect(Collectors.joining(","));
    }

    /** {@return the three members, whatever their present roles} */
    public List<ZooKeeperNode> nodes() {
        return nodes;
    }

    /**
     * Waits until there is a leader.
     *
     * @return the leader
     * @throws InterruptedException if interrupted
     */
    public ZooKeeperNode leader() throws InterruptedException {
        Eventually.await("a leader", TIME_TO_SETTLE, () -> nodes.stream().anyMatch(ZooKeeperNode::leads));
        return nodes.stream()
                .filter(ZooKeeperNode::leads)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the leader is gone again"));
    }

    /** {@return the members that follow a leader now} */
    public List<ZooKeeperNode> followers() {
        return nodes.stream().filter(node -> node.mode().equals("follower")).toList();
    }

    /**
     * Waits until every member that is running serves clients.
     *
     * @throws InterruptedException if interrupted
     */
    public void awaitServing() throws InterruptedException {
        for (ZooKeeperNode node : nodes) {
            if (node.server().isRunning()) {
                node.awaitServing();
            }
        }
    }

    /**
     * Lets nothing through between one member and the others, without telling anybody. Its clients stay attached to it,
     * and it goes on answering them what it can answer alone, until it notices.
     *
     * @param node the member
     */
    public void cutOff(ZooKeeperNode node) {
        routesOf(node).forEach(route -> route.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT));
    }

    /**
     * Ends {@link #cutOff}. Connections from before are gone, as after any longer cut.
     *
     * @param node the member
     */
    public void rejoin(ZooKeeperNode node) {
        List<FaultProxy> all = routesOf(node);
        all.forEach(FaultProxy::reset);
        all.forEach(FaultProxy::heal);
    }

    private List<FaultProxy> routesOf(ZooKeeperNode node) {
        int index = nodes.indexOf(node);
        List<FaultProxy> all = new ArrayList<>();
        for (int other = 0; other < MEMBERS; other++) {
            all.addAll(routes.get(index).get(other));
            all.addAll(routes.get(other).get(index));
        }
        return all;
    }

    private static List<Integer> reserve(Rig rig) {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            ports.add(rig.keep(PortReservation.take()).port());
        }
        return ports;
    }
}
