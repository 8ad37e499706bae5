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
        return new Venue(
                "memory:",
                "no server; one process for each maker"
                        + (VIRTUAL_THREADS ? "" : "; no crowd-virtual, which needs Java 21 or later"),
                () -> 0);
    }

    @Override
    public List<Scenario> scenarios() {
        List<Scenario> scenarios = new ArrayList<>(List.of(
                Scenarios.solo(HOLDFAST, JDK).asking(Target.fasterThan(HOLDFAST, JDK, 1.0 / 40)),
                Scenarios.multi(HOLDFAST, JDK),
                Scenarios.sticky(HOLDFAST_STICKY, JDK).asking(Target.fasterThan(HOLDFAST_STICKY, JDK, 1.0 / 40)),
                Scenarios.locked(),
                Scenarios.hot(1, 100, HOLDFAST, JDK_FAIR).asking(Target.fasterThan(HOLDFAST, JDK_FAIR, 0.5)),
                Scenario.of(
                                "hot-1x100-sticky",
                                "100 threads on one name, sticky",
                                Kind.ONE_NAME,
                                1,
                                100,
                                HOLDFAST_STICKY,
                                JDK_FAIR)
                        .asking(Target.fasterThan(HOLDFAST_STICKY, JDK_FAIR, 0.5)),
                crowd("crowd", "10,000 asynchronous waiters are served in order"),
                Scenarios.memory(LEASES, HOLDFAST, JDK)
                        .asking(Target.atMost(HOLDFAST, Figure.BYTES_PER_LEASE, MOST_BYTES, "bytes of heap a lease"))));
        if (VIRTUAL_THREADS) {
            scenarios.add(crowd("crowd-virtual", "10,000 waiting virtual threads are served in order"));
        }
        return List.copyOf(scenarios);
    }

    private static Scenario crowd(String name, String title) {
        return Scenario.of(name, title, Kind.CROWD, 1, CROWD, HOLDFAST)
                .asking(Target.atLeast(HOLDFAST, Figure.IN_ORDER, 1, "(1: served in order of arrival)"));
    }
}
