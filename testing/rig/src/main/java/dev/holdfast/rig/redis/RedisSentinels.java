package dev.holdfast.rig.redis;

import dev.holdfast.rig.Eventually;
import dev.holdfast.rig.Rig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A master with two replicas, watched by three sentinels, that notice a dead master after half a second. Used by one
 * thread at a time.
 */
public final class RedisSentinels {
    private static final String MASTER_NAME = "holdfast-master";
    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final Duration TIME_TO_SETTLE = Duration.ofSeconds(60);

    /** Sentinels that have a good replica have promoted it by then. */
    private static final Duration TIME_TO_ELECT = Duration.ofSeconds(10);

    private final List<RedisNode> nodes;
    private final List<RedisNode> sentinels;

    private RedisSentinels(List<RedisNode> nodes, List<RedisNode> sentinels) {
        this.nodes = nodes;
        this.sentinels = sentinels;
    }

    /**
     * Starts all six and waits until they know each other.
     *
     * @param rig in which they run
     * @param settings of the master and the replicas; sentinels share only TLS and know the password
     * @return the running group
     * @throws InterruptedException if interrupted
     */
    public static RedisSentinels start(Rig rig, RedisSettings settings) throws InterruptedException {
        List<RedisNode> nodes = new ArrayList<>();
        nodes.add(RedisNode.start(rig, "redis", new RedisLaunch(RedisLaunch.Role.DATA, settings)));
        int master = nodes.get(0).port();
        RedisLaunch replica =
                new RedisLaunch(RedisLaunch.Role.DATA, settings.withLines("replicaof 127.0.0.1 " + master));
        for (int i = 0; i < REPLICAS; i++) {
            nodes.add(RedisNode.start(rig, "redis", replica));
        }
        RedisLaunch sentinel = new RedisLaunch(RedisLaunch.Role.SENTINEL, sentinel(master, settings));
        List<RedisNode> sentinels = new ArrayList<>();
        for (int i = 0; i < SENTINELS; i++) {
            RedisNode started = RedisNode.start(rig, "sentinel", sentinel);
            // Their habit of looking every few seconds would make every test as slow. In a failover they look at a
            // replica
            // once a second, whatever is set, and take its promotion back after four publish periods: hence not
            // shorter.
            started.ask("SENTINEL", "DEBUG", "INFO-PERIOD", "200", "PUBLISH-PERIOD", "500", "PING-PERIOD", "100");
            sentinels.add(started);
        }
        RedisSentinels group = new RedisSentinels(List.copyOf(nodes), List.copyOf(sentinels));
        group.awaitSettled();
        return group;
    }

    /** {@return where clients find the group} */
    public String url() {
        return nodes.get(0).scheme("redis") + "+sentinel://" + nodes.get(0).userInfo()
                + sentinels.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","))
                + "/" + MASTER_NAME;
    }

    /** {@return what the sentinels call the group} */
    public String masterName() {
        return MASTER_NAME;
    }

    /** {@return the three servers with data, whatever their present roles} */
    public List<RedisNode> nodes() {
        return nodes;
    }

    /** {@return the three sentinels} */
    public List<RedisNode> sentinels() {
        return sentinels;
    }

    /** {@return the server that the first running sentinel calls master} */
    public RedisNode master() {
        RedisNode witness = sentinels.stream()
                .filter(each -> each.server().isRunning())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no sentinel is running"));
        int port = masterAccordingTo(witness);
        return nodes.stream()
                .filter(each -> each.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the sentinels name a master that is not of this group"));
    }

    /** {@return the running servers that are not {@link #master()}} */
    public List<RedisNode> replicas() {
        RedisNode master = master();
        return nodes.stream()
                .filter(each -> each.port() != master.port() && each.server().isRunning())
                .toList();
    }

    /**
     * From now on no write of the master reaches a replica: they are paused and their connections closed. Meant to be
     * followed soon by {@link #loseMaster}; a replica that was away for long is not promoted.
     *
     * @throws InterruptedException if interrupted
     */
    public void holdReplicas() throws InterruptedException {
        RedisNode master = master();
        for (RedisNode replica : replicas()) {
            replica.pause();
        }
        // A paused replica would still find in its socket what was sent to it, so the master must not send.
        master.ask("CLIENT", "KILL", "TYPE", "replica");
    }

    /**
     * Kills the master, lets held replicas go on, and waits until one of them is promoted and the group has settled.
     * Writes since {@link #holdReplicas} are lost.
     *
     * @return the new master
     * @throws InterruptedException if interrupted
     */
    public RedisNode loseMaster() throws InterruptedException {
        RedisNode old = master();
        List<RedisNode> replicas = replicas();
        old.kill();
        for (RedisNode replica : replicas) {
            replica.resume();
        }
        return awaitOtherMaster(old);
    }

    /**
     * Makes the sentinels promote a replica although the master is well, and waits until the group has settled.
     *
     * @return the new master
     * @throws InterruptedException if interrupted
     */
    public RedisNode failOver() throws InterruptedException {
        RedisNode old = master();
        RedisNode leader = sentinels.get(0);
        leader.ask("SENTINEL", "FAILOVER", MASTER_NAME);
        Eventually.await("promotion of a replica", TIME_TO_SETTLE, () -> {
            // Soon after another failover, a sentinel that has not heard of it yet may take the promotion back.
            boolean over = !String.valueOf(leader.ask("SENTINEL", "MASTER", MASTER_NAME))
                    .contains("failover_in_progress");
            boolean replaced = master().port() != old.port();
            if (over && !replaced) {
                leader.ask("SENTINEL", "FAILOVER", MASTER_NAME);
            }
            return replaced && isSettled();
        });
        return master();
    }

    /**
     * Waits until all running sentinels agree on a master, which says so itself, and all other running servers are its
     * replicas and in step.
     *
     * @throws InterruptedException if interrupted
     */
    public void awaitSettled() throws InterruptedException {
        Eventually.await("agreement of the sentinels", TIME_TO_SETTLE, this::isSettled);
    }

    private RedisNode awaitOtherMaster(RedisNode old) throws InterruptedException {
        long patientUntil = System.nanoTime() + TIME_TO_ELECT.toNanos();
        Eventually.await("promotion of a replica", TIME_TO_SETTLE, () -> {
            boolean replaced = master().port() != old.port();
            if (!replaced && System.nanoTime() - patientUntil > 0) {
                promoteAnyhow();
            }
            return replaced && isSettled();
        });
        return master();
    }

    /** Sentinels that found no good replica at first, because those were paused, would not look again for a long time. */
    private void promoteAnyhow() {
        RedisNode leader = sentinels.get(0);
        if (!String.valueOf(leader.ask("SENTINEL", "MASTER", MASTER_NAME)).contains("failover_in_progress")) {
            try {
                leader.ask("SENTINEL", "FAILOVER", MASTER_NAME);
            } catch (RedisError noneYet) {
                // There is no good replica still; the next look asks again.
            }
        }
    }

    private boolean isSettled() {
        RedisNode master = master();
        int running =
                (int) nodes.stream().filter(each -> each.server().isRunning()).count();
        return master.server().isRunning()
                && "master".equals(master.info("replication", "role"))
                && sentinels.stream()
                        .filter(each -> each.server().isRunning())
                        .allMatch(each -> knowsTheGroup(each, master, running - 1))
                && replicas().stream().allMatch(each -> follows(each, master));
    }

    private boolean knowsTheGroup(RedisNode sentinel, RedisNode master, int replicas) {
        // name=…,status=ok,address=127.0.0.1:20001,slaves=2,sentinels=3
        String line = sentinel.info("sentinel", "master0");
        List<String> facts = List.of(line.split(",", -1));
        int known = facts.stream()
                .filter(fact -> fact.startsWith("slaves="))
                .mapToInt(fact -> Integer.parseInt(fact.substring("slaves=".length())))
                .sum();
        return facts.contains("status=ok")
                && facts.contains("address=127.0.0.1:" + master.port())
                && known >= replicas
                && facts.contains("sentinels=" + SENTINELS);
    }

    private static boolean follows(RedisNode replica, RedisNode master) {
        return "slave".equals(replica.info("replication", "role"))
                && replica.info("replication", "master_port").equals(Integer.toString(master.port()))
                && "up".equals(replica.info("replication", "master_link_status"));
    }

    private static int masterAccordingTo(RedisNode sentinel) {
        Object address = sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
        if (address instanceof List<?> parts && parts.size() == 2) {
            return Integer.parseInt(String.valueOf(parts.get(1)));
        }
        throw new IllegalStateException("the sentinel knows no master of that name");
    }

    private static RedisSettings sentinel(int master, RedisSettings settings) {
        List<String> lines = new ArrayList<>();
        lines.add("sentinel monitor " + MASTER_NAME + " 127.0.0.1 " + master + " " + QUORUM);
        // A replica that has been cut off for longer than ten times this is never promoted, so it must not be too
        // short.
        lines.add("sentinel down-after-milliseconds " + MASTER_NAME + " 1000");
        lines.add("sentinel failover-timeout " + MASTER_NAME + " 3000");
        lines.add("sentinel parallel-syncs " + MASTER_NAME + " " + REPLICAS);
        if (settings.password() != null) {
            lines.add("sentinel auth-pass " + MASTER_NAME + " \"" + settings.password() + "\"");
        }
        return new RedisSettings(lines, null, List.of(), false, settings.certificates());
    }
}
