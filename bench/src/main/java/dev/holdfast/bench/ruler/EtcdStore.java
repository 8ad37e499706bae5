package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.JETCD;
import static dev.holdfast.bench.ruler.Maker.KEY;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import java.util.List;
import java.util.stream.Stream;

/** One etcd server, as it is set up by default: every write is on the disk before it is answered. */
final class EtcdStore implements Store {
    /** Fewer than elsewhere, because one thread takes them and each is written to the disk. */
    private static final int LEASES = 2_000;

    private static final int MANY_LEASES = 10_000;
    private static final Target[] NONE = {};

    @Override
    public String word() {
        return "etcd";
    }

    /** What comes in a stream counts too: a keep-alive, and the beginning and end of a watch. */
    @Override
    public Venue start(Rig rig) throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        return new Venue(
                "etcd://" + node.address(),
                "etcd " + node.version() + ", one server, every write forced to the disk (its default)",
                () -> node.metric("grpc_server_msg_received_total"));
    }

    @Override
    public List<Scenario> scenarios() {
        Maker[] single = {HOLDFAST, JETCD, KEY};
        Maker[] waiting = {HOLDFAST, JETCD};
        return Stream.of(
                        Stream.of(
                                Scenarios.solo(single).asking(Target.fasterThan(HOLDFAST, KEY, 1.0)),
                                Scenarios.spread(single),
                                Scenarios.multi(waiting),
                                Scenarios.handOff(0, waiting).asking(Target.quickerThan(HOLDFAST, JETCD, 0.1)),
                                hot(2, 4, 100)),
                        Scenarios.waiters(waiting).stream(),
                        Stream.of(hot(6, 1, 20)),
                        Scenarios.renewal(waiting).stream()
                                .map(scenario -> scenario.asking(
                                        scenario.size() == MANY_LEASES
                                                ? new Target[] {
                                                    Target.atMost(
                                                            HOLDFAST,
                                                            Figure.ROUND_TRIPS,
                                                            25,
                                                            "requests in a renewal period")
                                                }
                                                : NONE)),
                        Stream.of(Scenarios.memory(LEASES, waiting), Scenarios.recovery(waiting)))
                .flatMap(each -> each)
                .toList();
    }

    private static Scenario hot(int processes, int threads, double times) {
        return Scenarios.hot(processes, threads, HOLDFAST, JETCD).asking(Target.fasterThan(HOLDFAST, JETCD, times));
    }
}
