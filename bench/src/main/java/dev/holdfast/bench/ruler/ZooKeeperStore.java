package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.CURATOR;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.NODE;

import dev.holdfast.bench.ruler.Scenario.Kind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.time.Duration;
import java.util.List;

/** One ZooKeeper server, as it is set up by default: every write is on the disk before it is answered. */
final class ZooKeeperStore implements Store {
    /** ZooKeeper's own default. */
    private static final Duration TICK = Duration.ofSeconds(2);

    @Override
    public String word() {
        return "zookeeper";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        ZooKeeperNode node = ZooKeeperNode.start(
                rig, ZooKeeperSettings.defaults().withTick(TICK).forMeasurements().withSynchronousWrites());
        return Venue.of(
                "zookeeper://" + node.address(),
                "ZooKeeper " + ClassPath.versionOf("zookeeper") + ", one server, forceSync=yes (its default)",
                () -> node.metric("packets_received"));
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(
                new Scenario(
                        "solo",
                        "uncontended pair, one thread",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        List.of(HOLDFAST, CURATOR, NODE),
                        List.of(Target.fasterThan(HOLDFAST, NODE, 0.9), Target.fasterThan(HOLDFAST, CURATOR, 1.3))),
                hot("hot-2x4", "2 JVMs x 4 threads on one name", 2, 4, 100),
                hot("hot-2x100", "2 JVMs x 100 threads on one name", 2, 100, 200),
                hot("hot-6x1", "6 JVMs x 1 thread on one name", 6, 1, 1.2),
                new Scenario(
                        "hand-over",
                        "hand-over to a waiter in another client",
                        Kind.HAND_OVER,
                        2,
                        0,
                        List.of(HOLDFAST, CURATOR),
                        List.of(Target.quickerThan(HOLDFAST, CURATOR, 0.8))));
    }

    private static Scenario hot(String name, String title, int processes, int threads, double times) {
        return new Scenario(
                name,
                title,
                Kind.ONE_NAME,
                processes,
                threads,
                List.of(HOLDFAST, CURATOR),
                List.of(Target.fasterThan(HOLDFAST, CURATOR, times)));
    }
}
