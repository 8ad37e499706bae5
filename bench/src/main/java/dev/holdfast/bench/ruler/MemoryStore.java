package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST_STICKY;
import static dev.holdfast.bench.ruler.Maker.JDK;
import static dev.holdfast.bench.ruler.Maker.JDK_FAIR;

import dev.holdfast.bench.ruler.Scenario.Kind;
import dev.holdfast.rig.Rig;
import java.util.ArrayList;
import java.util.List;

/** The engine without a server, against the JDK's own locks. */
final class MemoryStore implements Store {
    private static final boolean VIRTUAL_THREADS = Runtime.version().feature() >= 21;
    private static final int CROWD = 10_000;
    private static final int LEASES = 100_000;
    private static final int MOST_BYTES = 1_024;

    @Override
    public String word() {
        return "memory";
    }

    @Override
    public Venue start(Rig rig) {
        return Venue.of(
                "memory:",
                "no server; one process for each maker"
                        + (VIRTUAL_THREADS ? "" : "; no crowd-virtual, which needs Java 21 or later"),
                () -> 0);
    }

    @Override
    public List<Scenario> scenarios() {
        List<Scenario> scenarios = new ArrayList<>(List.of(
                solo("solo", "one thread", HOLDFAST),
                solo("sticky", "one thread, sticky", HOLDFAST_STICKY),
                hot("hot-1x100", "100 threads on one name", HOLDFAST),
                hot("hot-1x100-sticky", "100 threads on one name, sticky", HOLDFAST_STICKY),
                crowd("crowd", "10,000 asynchronous waiters are served in order"),
                new Scenario(
                        "footprint",
                        "100,000 leases held",
                        Kind.ALONE,
                        1,
                        LEASES,
                        List.of(HOLDFAST),
                        List.of(Target.atMost(
                                HOLDFAST, Figure.BYTES_PER_LEASE, MOST_BYTES, "bytes of heap a lease")))));
        if (VIRTUAL_THREADS) {
            scenarios.add(crowd("crowd-virtual", "10,000 waiting virtual threads are served in order"));
        }
        return List.copyOf(scenarios);
    }

    private static Scenario solo(String name, String title, Maker ours) {
        return new Scenario(
                name, title, Kind.OWN_NAMES, 1, 1, List.of(ours, JDK), List.of(Target.fasterThan(ours, JDK, 1.0 / 40)));
    }

    private static Scenario hot(String name, String title, Maker ours) {
        return new Scenario(
                name,
                title,
                Kind.ONE_NAME,
                1,
                100,
                List.of(ours, JDK_FAIR),
                List.of(Target.fasterThan(ours, JDK_FAIR, 0.5)));
    }

    private static Scenario crowd(String name, String title) {
        return new Scenario(
                name,
                title,
                Kind.ALONE,
                1,
                CROWD,
                List.of(HOLDFAST),
                List.of(Target.atLeast(HOLDFAST, Figure.IN_ORDER, 1, "(1: served in order of arrival)")));
    }
}
