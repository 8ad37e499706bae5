package dev.holdfast.rig.redis;

import dev.holdfast.rig.Eventually;
import dev.holdfast.rig.Rig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * A cluster of three masters with one replica each, in which a dead master is noticed after a second. Used by one thread
 * at a time.
 */
public final class RedisCluster {
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final Duration TIME_TO_SETTLE = Duration.ofSeconds(60);

    /** A replica that was asked to take over tries for so long, and no longer. */
    private static final Duration TIME_TO_ELECT = Duration.ofSeconds(6);

    private final List<RedisNode> nodes;

    private RedisCluster(List<RedisNode> nodes) {
        this.nodes = nodes;
    }

    /**
     * Starts all six and waits until every slot is served and every replica is in step.
     *
     * @param rig in which they run
     * @param settings of every member
     * @return the running cluster
     * @throws InterruptedException if interrupted
     */
    public static RedisCluster start(Rig rig, RedisSettings settings) throws InterruptedException {
        RedisLaunch member = new RedisLaunch(
                RedisLaunch.Role.CLUSTER_MEMBER,
                settings.withLines(
                        "cluster-node-timeout 1000",
                        // A replica is promoted however long it was away: tests decide what it has missed.
                        "cluster-replica-validity-factor 0",
                        "cluster-allow-replica-migration no"));
        List<RedisNode> nodes = new ArrayList<>();
        for (int i = 0; i < 2 * MASTERS; i++) {
            nodes.add(RedisNode.start(rig, "cluster", member));
        }
        RedisCluster cluster = new RedisCluster(List.copyOf(nodes));
        cluster.form();
        return cluster;
    }

    /** {@return where clients find the cluster} */
    public String url() {
        return nodes.get(0).scheme("redis") + "+cluster://" + nodes.get(0).userInfo()
                + nodes.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","));
    }

    /** {@return all six servers, whatever their present roles} */
    public List<RedisNode> nodes() {
        return nodes;
    }

    /**
     * Tells which server is master of a key.
     *
     * @param key any key
     * @return the master of its slot
     */
    public RedisNode masterOf(String key) {
        RedisNode witness = witness();
        long slot = (Long) Objects.requireNonNull(witness.ask("CLUSTER", "KEYSLOT", key));
        return node(ClusterView.of(witness).masterOf(slot).port());
    }

    /**
     * Tells which server is the replica of a master.
     *
     * @param master a master
     * @return its replica, which may be paused
     */
    public RedisNode replicaOf(RedisNode master) {
        return ClusterView.of(witness()).replicasOf(master.port()).stream()
                .map(this::node)
                .filter(each -> each.server().isRunning())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the master has no running replica"));
    }

    /**
     * From now on no write of this master reaches its replica, which is paused and its connection closed. Meant to be
     * followed by {@link #loseMaster}.
     *
     * @param master whose replica it is
     * @throws InterruptedException if interrupted
     */
    public void holdReplica(RedisNode master) throws InterruptedException {
        replicaOf(master).pause();
        // A paused replica would still find in its socket what was sent to it, so the master must not send.
        master.ask("CLIENT", "KILL", "TYPE", "replica");
    }

    /**
     * Kills a master, lets its replica go on if it was held, and waits until that is promoted and the cluster has settled.
     * Writes since {@link #holdReplica} are lost.
     *
     * @param master to kill
     * @return the new master
     * @throws InterruptedException if interrupted
     */
    public RedisNode loseMaster(RedisNode master) throws InterruptedException {
        RedisNode replica = replicaOf(master);
        master.kill();
        replica.resume();
        awaitMaster(replica);
        return replica;
    }

    /**
     * Lets a master and its replica change places although both are well, and waits until the cluster has settled. No
     * write is lost.
     *
     * @param master to depose
     * @return the new master
     * @throws InterruptedException if interrupted
     */
    public RedisNode failOver(RedisNode master) throws InterruptedException {
        RedisNode replica = replicaOf(master);
        AtomicLong askedNanos = new AtomicLong();
        AtomicBoolean asked = new AtomicBoolean();
        Eventually.await("promotion of a replica", TIME_TO_SETTLE, () -> {
            boolean promoted = ClusterView.of(replica).isMaster(replica.port());
            long now = System.nanoTime();
            // Soon after another failover of the same slots the other masters do not vote, and the replica gives up.
            if (!promoted && (!asked.get() || now - askedNanos.get() > TIME_TO_ELECT.toNanos())) {
                asked.set(true);
                askedNanos.set(now);
                replica.ask("CLUSTER", "FAILOVER");
            }
            return promoted && isSettled();
        });
        return replica;
    }

    /**
     * Begins to move a slot that is in use at one master to another one. Nothing else may happen to the cluster until
     * {@link SlotMove#finish}.
     *
     * @param source a master
     * @param target another one
     * @return the move; empty if the master has no key
     */
    public Optional<SlotMove> moveBusySlot(RedisNode source, RedisNode target) {
        return SlotMove.begin(this, source, target);
    }

    /**
     * Waits until all running servers serve every slot, name the same masters, and all replicas are in step.
     *
     * @throws InterruptedException if interrupted
     */
    public void awaitSettled() throws InterruptedException {
        Eventually.await("agreement of the cluster", TIME_TO_SETTLE, this::isSettled);
    }

    private void form() throws InterruptedException {
        List<String> ids = nodes.stream()
                .map(each -> String.valueOf(each.ask("CLUSTER", "MYID")))
                .toList();
        for (int i = 0; i < nodes.size(); i++) {
            RedisNode node = nodes.get(i);
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < MASTERS) {
                int first = SLOTS * i / MASTERS;
                int last = SLOTS * (i + 1) / MASTERS - 1;
                node.ask("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last));
            }
            // Everybody meets everybody, because gossip would take seconds.
            for (RedisNode other : nodes.subList(0, i)) {
                List<Integer> ports = other.server().place().ports();
                node.ask(
                        "CLUSTER",
                        "MEET",
                        "127.0.0.1",
                        ports.get(0).toString(),
                        ports.get(1).toString());
            }
        }
        for (int i = MASTERS; i < nodes.size(); i++) {
            RedisNode replica = nodes.get(i);
            String master = ids.get(i - MASTERS);
            Eventually.await(
                    "introduction of the members",
                    TIME_TO_SETTLE,
                    () -> ClusterView.of(replica).members().stream()
                            .anyMatch(each -> each.id().equals(master) && each.isMaster()));
            replica.ask("CLUSTER", "REPLICATE", master);
        }
        awaitSettled();
    }

    private void awaitMaster(RedisNode node) throws InterruptedException {
        Eventually.await(
                "promotion of a replica",
                TIME_TO_SETTLE,
                () -> ClusterView.of(node).isMaster(node.port()) && isSettled());
    }

    private boolean isSettled() {
        List<RedisNode> running =
                nodes.stream().filter(each -> each.server().isRunning()).toList();
        ClusterView first = ClusterView.of(running.get(0));
        return first.members().size() == nodes.size()
                && running.stream().allMatch(each -> agrees(each, first))
                && running.stream()
                        .filter(each -> !first.isMaster(each.port()))
                        .allMatch(each -> "up".equals(each.info("replication", "master_link_status")));
    }

    private static boolean agrees(RedisNode node, ClusterView first) {
        String state = String.valueOf(node.ask("CLUSTER", "INFO"));
        return state.contains("cluster_state:ok") && ClusterView.of(node).sameRoles(first);
    }

    private RedisNode witness() {
        return nodes.stream()
                .filter(each -> each.server().isRunning() && !each.server().isPaused())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no member of the cluster is running"));
    }

    private RedisNode node(int port) {
        return nodes.stream()
                .filter(each -> each.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no member has port " + port));
    }
}
