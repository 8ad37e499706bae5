package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST_STICKY;
import static dev.holdfast.bench.ruler.Maker.JEDIS;
import static dev.holdfast.bench.ruler.Maker.REDISSON;
import static dev.holdfast.bench.ruler.Maker.REDISSON_FAIR;
import static dev.holdfast.bench.ruler.Maker.SPRING;

import java.util.List;

/**
 * A situation in which locks are compared, and what is asked of ours in it.
 *
 * @param name on the command line
 * @param title for people
 * @param kind what is done
 * @param processes of each maker
 * @param threads in each process; for held leases, how many leases
 * @param makers in the order of their turns
 * @param targets what is asked
 */
record Scenario(
        String name, String title, Kind kind, int processes, int threads, List<Maker> makers, List<Target> targets) {

    /** What is done. */
    enum Kind {
        /** Every thread has a name of its own. */
        OWN_NAMES,
        /** All threads want the same name. */
        ONE_NAME,
        /** Two processes pass one name to and fro. */
        HAND_OVER,
        /** Many leases are held, and nothing else happens. */
        HELD
    }

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "solo",
                        "uncontended pair, one thread",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        List.of(HOLDFAST, REDISSON, SPRING, JEDIS),
                        List.of(Target.fasterThan(HOLDFAST, JEDIS, 0.85), Target.fasterThan(HOLDFAST, REDISSON, 1.5))),
                new Scenario(
                        "names-64",
                        "64 threads on 64 names",
                        Kind.OWN_NAMES,
                        1,
                        64,
                        List.of(HOLDFAST, REDISSON, SPRING, JEDIS),
                        List.of(Target.fasterThan(HOLDFAST, JEDIS, 0.85), Target.fasterThan(HOLDFAST, REDISSON, 5))),
                hot("hot-2x4", "2 JVMs x 4 threads on one name", 4, 100),
                hot("hot-2x100", "2 JVMs x 100 threads on one name", 100, 70),
                new Scenario(
                        "hot-6x1",
                        "6 JVMs x 1 thread on one name",
                        Kind.ONE_NAME,
                        6,
                        1,
                        List.of(HOLDFAST, REDISSON_FAIR, SPRING),
                        List.of(Target.fasterThan(HOLDFAST, REDISSON_FAIR, 12))),
                new Scenario(
                        "hand-over",
                        "hand-over to a waiter in another client",
                        Kind.HAND_OVER,
                        2,
                        1,
                        List.of(HOLDFAST, REDISSON, SPRING),
                        List.of(Target.quickerThan(HOLDFAST, REDISSON, 0.35))),
                new Scenario(
                        "sticky",
                        "one thread, sticky",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        List.of(HOLDFAST_STICKY, REDISSON),
                        List.of(Target.fasterThan(HOLDFAST_STICKY, REDISSON, 200))),
                new Scenario(
                        "leases-10000",
                        "10,000 leases held",
                        Kind.HELD,
                        1,
                        10_000,
                        List.of(HOLDFAST, REDISSON),
                        List.of(Target.roundTrips(HOLDFAST, 25))));
    }

    private static Scenario hot(String name, String title, int threads, double times) {
        return new Scenario(
                name,
                title,
                Kind.ONE_NAME,
                2,
                threads,
                List.of(HOLDFAST, REDISSON, SPRING),
                List.of(
                        Target.fasterThan(HOLDFAST, REDISSON, times),
                        Target.nobodyWaitsLongerThan(HOLDFAST, 200),
                        Target.leastServedHas(HOLDFAST, 0.5)));
    }

    /** The command that begins a round in a process. */
    String heat(Maker maker) {
        String lock = "bench-" + name + "-" + maker.word();
        return switch (kind) {
            case OWN_NAMES -> "race " + threads + " own " + lock;
            case ONE_NAME -> "race " + threads + " shared " + lock;
            case HAND_OVER -> "hand-over " + lock;
            case HELD -> "hold " + threads + " " + lock;
        };
    }
}
