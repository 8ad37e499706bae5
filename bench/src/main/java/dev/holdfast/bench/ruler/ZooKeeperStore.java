package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.CURATOR;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.NODE;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** One ZooKeeper server, as it is set up by default: every write is on the disk before it is answered. */
final class ZooKeeperStore implements Store {
    /** ZooKeeper's own default. */
    private static final Duration TICK = Duration.ofSeconds(2);

    /** Fewer than elsewhere, because each is written to the disk one by one. */
    private static final int LEASES = 2_000;

    @Override
    public String word() {
        return "zookeeper";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        ZooKeeperNode node = ZooKeeperNode.start(
                rig,
                ZooKeeperSettings.defaults().withTick(TICK).forMeasurements().withSynchronousWrites());
        return new Venue(
                "zookeeper://" + node.address(),
                "ZooKeeper " + ClassPath.versionOf("zookeeper") + ", one server, forceSync=yes (its default)",
                () -> node.metric("packets_received"));
    }

    @Override
    public List<Scenario> scenarios() {
        Maker[] single = {HOLDFAST, CURATOR, NODE};
        Maker[] waiting = {HOLDFAST, CURATOR};
        return Stream.of(
                        Stream.of(
                                Scenarios.solo(single)
                                        .asking(
                                                Target.fasterThan(HOLDFAST, NODE, 0.9),
                                                Target.fasterThan(HOLDFAST, CURATOR, 1.3)),
                                Scenarios.spread(single),
                                Scenarios.multi(waiting),
                                Scenarios.handOff(0, waiting).asking(Target.quickerThan(HOLDFAST, CURATOR, 0.8)),
                                hot(2, 4, 100),
                                hot(2, 100, 200)),
                        Scenarios.waiters(waiting).stream(),
                        Stream.of(hot(6, 1, 30)),
                        Scenarios.renewal(waiting).stream(),
                        Stream.of(Scenarios.memory(LEASES, waiting), Scenarios.recovery(waiting)))
                .flatMap(each -> each)
                .toList();
    }

    private static Scenario hot(int processes, int threads, double times) {
        return Scenarios.hot(processes, threads, HOLDFAST, CURATOR).asking(Target.fasterThan(HOLDFAST, CURATOR, times));
    }
}
