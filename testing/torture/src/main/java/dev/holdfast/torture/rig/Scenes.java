package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.Server;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Builds what is tortured, by name. */
public final class Scenes {
    /** The names of all rigs. */
    public static final List<String> ALL = List.of(
            "file", "redis", "sentinel", "cluster", "redlock", "postgres", "mariadb", "mysql", "zookeeper", "etcd");

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int REDLOCK_NODES = 5;

    private final Rig rig;
    private final int workers;
    private final Duration lease;

    /**
     * Makes a builder.
     *
     * @param rig in which servers run
     * @param workers how many get networks of their own
     * @param lease what faults last about as long as
     */
    public Scenes(Rig rig, int workers, Duration lease) {
        this.rig = rig;
        this.workers = workers;
        this.lease = lease;
    }

    /**
     * Builds a scene.
     *
     * @param name one of {@link #ALL}
     * @return the scene, with its servers running
     * @throws InterruptedException if interrupted
     * @throws dev.holdfast.rig.CannotRunException if a server cannot run here
     */
    public Scene build(String name) throws InterruptedException {
        return switch (name) {
            case "file" -> given(name, "file:" + rig.directory().resolve("locks"));
            case "redis" -> redis();
            case "sentinel" -> new SentinelScene(rig, lease).build(workers);
            case "cluster" -> new ClusterScene(rig, lease).build(workers);
            case "redlock" -> redlock();
            case "postgres" -> database(name, Postgres.start(rig));
            case "mariadb" -> database(name, MariaDb.start(rig));
            case "mysql" -> database(name, MySql.start(rig));
            case "zookeeper" -> new ZooKeeperScene(rig, lease).build(workers);
            case "etcd" -> new EtcdScene(rig, lease).build(workers);
            default ->
                throw new IllegalArgumentException("there is no rig " + name + "; there are " + ALL + " and all");
        };
    }

    /**
     * A store that is there already, of which only the workers can be hurt.
     *
     * @param name for reports
     * @param url where it is
     * @return the scene
     */
    public Scene given(String name, String url) {
        return new Scene(name, Collections.nCopies(workers + 1, url), List.of(), lease);
    }

    /** With {@code appendfsync always}, so that a restart forgets nothing; one fault makes it forget everything. */
    private Scene redis() throws InterruptedException {
        RedisNode node = RedisNode.start(rig, RedisSettings.defaults().withDurability());
        Networks networks = new Networks(rig, workers, List.of(node.port()), lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        faults.addAll(server("redis", "server", node.server(), Loses.NOTHING));
        faults.add(new FaultKind(
                "restart-empty",
                "redis",
                "server",
                1,
                MOMENT,
                MOMENT,
                Loses.RESTART,
                node.server()::restartEmpty,
                FaultKind.nothing()));
        faults.add(new FaultKind(
                "out-of-memory",
                "redis",
                "server",
                1,
                MOMENT,
                lease,
                Loses.NOTHING,
                () -> node.ask("CONFIG", "SET", "maxmemory", "1"),
                () -> node.ask("CONFIG", "SET", "maxmemory", "0")));
        return scene(
                "redis",
                IntStream.range(0, workers)
                        .mapToObj(i -> "redis://" + networks.addresses(i))
                        .toList(),
                node.url(),
                faults);
    }

    /** Nodes forget everything when they restart, one at a time and seldom, so that a majority always remembers. */
    private Scene redlock() throws InterruptedException {
        List<RedisNode> nodes = RedisNode.startSeveral(rig, REDLOCK_NODES, RedisSettings.defaults());
        List<Integer> ports = nodes.stream().map(RedisNode::port).toList();
        Networks networks = new Networks(rig, workers, ports, lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        String options = "#fresh=true&nodeTimeout=300ms&maxLease=" + lease.toMillis() + "ms";
        for (int i = 0; i < REDLOCK_NODES; i++) {
            Server server = nodes.get(i).server();
            // The same resource for all: the rest of the lease after each is the time in which a node does not vote.
            faults.add(new FaultKind(
                    "killed",
                    "node-" + i,
                    "servers",
                    1,
                    lease,
                    lease.multipliedBy(2),
                    Loses.NOTHING,
                    server::kill,
                    () -> {
                        server.start();
                        java.util.concurrent.TimeUnit.NANOSECONDS.sleep(
                                lease.multipliedBy(2).toNanos());
                    }));
            faults.add(new FaultKind(
                    "server-paused",
                    "node-" + i,
                    "paused-" + i,
                    1,
                    MOMENT,
                    lease.multipliedBy(2),
                    Loses.NOTHING,
                    pause(server),
                    resume(server)));
        }
        return scene(
                "redlock",
                IntStream.range(0, workers)
                        .mapToObj(i -> "redlock://" + networks.addresses(i) + options)
                        .toList(),
                "redlock://" + Networks.join(ports) + options,
                faults);
    }

    private Scene database(String name, DatabaseServer server) {
        Networks networks = new Networks(rig, workers, List.of(server.port()), lease.multipliedBy(2));
        List<FaultKind> faults = new ArrayList<>(networks.faults());
        faults.addAll(server(name, "server", server.server(), Loses.RESTART));
        ConnectionHog hog = new ConnectionHog(server.access().jdbcUrlWithCredentials());
        faults.add(new FaultKind(
                "connections-taken",
                name,
                "server",
                1,
                MOMENT,
                lease.multipliedBy(2),
                Loses.NOTHING,
                hog::takeAll,
                hog::giveBack));
        return scene(
                name,
                IntStream.range(0, workers)
                        .mapToObj(i ->
                                server.accessThrough(networks.ports(i).get(0)).jdbcUrlWithCredentials())
                        .toList(),
                server.access().jdbcUrlWithCredentials(),
                faults);
    }

    private Scene scene(String name, List<String> urls, String direct, List<FaultKind> faults) {
        List<String> all = new ArrayList<>(urls);
        all.add(direct);
        return new Scene(name, List.copyOf(all), List.copyOf(faults), lease);
    }

    private List<FaultKind> server(String target, String resource, Server server, Loses loses) {
        return List.of(
                new FaultKind(
                        "server-paused",
                        target,
                        resource,
                        2,
                        MOMENT,
                        lease.multipliedBy(2),
                        Loses.NOTHING,
                        pause(server),
                        resume(server)),
                new FaultKind("server-killed", target, resource, 2, MOMENT, lease, loses, server::kill, server::start),
                new FaultKind(
                        "server-restarted",
                        target,
                        resource,
                        1,
                        MOMENT,
                        MOMENT,
                        loses,
                        server::restart,
                        FaultKind.nothing()));
    }

    /** A server that another fault has killed cannot be paused; then nothing happens. */
    static FaultKind.Step pause(Server server) {
        return () -> {
            synchronized (server) {
                if (server.isRunning() && !server.isPaused()) {
                    server.pause();
                }
            }
        };
    }

    static FaultKind.Step resume(Server server) {
        return () -> {
            synchronized (server) {
                if (server.isRunning() && server.isPaused()) {
                    server.resume();
                }
            }
        };
    }
}
