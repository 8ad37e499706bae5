package dev.holdfast.bench.ruler;

import dev.holdfast.bench.ruler.Scenario.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The scenarios that every store has. What is asked in them, and who is measured, is the store's. */
final class Scenarios {
    /**
     * For everybody where the lease is part of what is measured. It is the shortest session that a ZooKeeper server with
     * its default tick grants, so that it is the same on all stores.
     */
    static final Duration SHORT_LEASE = Duration.ofSeconds(4);

    private static final int MANY_NAMES = 64;
    private static final int MOST_MICROS_OF_LOCKED = 5;
    private static final int[] WAITING_THREADS_IN_EACH = {1, 5, 50, 500};
    private static final int[] LEASES = {100, 1_000, 10_000};

    private Scenarios() {}

    static Scenario solo(Maker... makers) {
        return Scenario.of("solo", "uncontended pair, one thread", Kind.OWN_NAMES, 1, 1, makers);
    }

    static Scenario acquire(Maker... makers) {
        return Scenario.of(
                "acquire",
                "uncontended acquire, one thread with work of 0.2 ms in between",
                Kind.ACQUIRE,
                1,
                MANY_NAMES,
                makers);
    }

    static Scenario acquireAtOnce(Maker... makers) {
        return Scenario.of(
                "acquire-at-once",
                "uncontended acquire, one thread, right after the last release",
                Kind.ACQUIRE_AT_ONCE,
                1,
                MANY_NAMES,
                makers);
    }

    static Scenario spread(Maker... makers) {
        return Scenario.of("spread", "64 threads on 64 names", Kind.OWN_NAMES, 1, MANY_NAMES, makers);
    }

    static Scenario sticky(Maker... makers) {
        return Scenario.of("sticky", "one thread, sticky", Kind.OWN_NAMES, 1, 1, makers);
    }

    static Scenario metrics() {
        return Scenario.of(
                        "metrics",
                        "uncontended pair, one thread, with metrics and without",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        Maker.HOLDFAST_METRICS,
                        Maker.HOLDFAST)
                .asking(Target.fasterThan(Maker.HOLDFAST_METRICS, Maker.HOLDFAST, 0.95));
    }

    /** What the server costs: two requests to it, which asks the store as the plain API would. */
    static Scenario http(Maker floor) {
        return Scenario.of(
                "http",
                "uncontended pair, one thread, over HTTP and by the Java API",
                Kind.OWN_NAMES,
                1,
                1,
                Maker.HOLDFAST_HTTP,
                Maker.HOLDFAST,
                floor);
    }

    static Scenario locked() {
        return Scenario.of(
                        "locked",
                        "uncontended pair, one thread, by @Locked of the Spring starter and by the plain API",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        Maker.HOLDFAST_LOCKED,
                        Maker.HOLDFAST)
                .asking(Target.addsAtMost(Maker.HOLDFAST_LOCKED, Maker.HOLDFAST, MOST_MICROS_OF_LOCKED));
    }

    static Scenario multi(Maker... makers) {
        return Scenario.of("multi", "three names at once, uncontended", Kind.THREE_NAMES, 1, 1, makers);
    }

    static Scenario hot(int processes, int threads, Maker... makers) {
        String title = processes + " JVM" + plural(processes) + " x " + threads + " thread" + plural(threads);
        return Scenario.of(
                "hot-" + processes + "x" + threads, title + " on one name", Kind.ONE_NAME, processes, threads, makers);
    }

    /** Whoever asks in fixed intervals is met at any point of them if a waiter is kept waiting for a random time. */
    static Scenario handOff(int keptWaitingMillis, Maker... makers) {
        return Scenario.of(
                "handoff",
                "hand-over to a waiter in another process"
                        + (keptWaitingMillis > 0 ? " that has waited for up to " + keptWaitingMillis + " ms" : ""),
                Kind.HAND_OVER,
                2,
                keptWaitingMillis,
                makers);
    }

    static List<Scenario> waiters(Maker... makers) {
        return Arrays.stream(WAITING_THREADS_IN_EACH)
                .mapToObj(threads -> Scenario.of(
                        "waiters-" + 2 * threads,
                        counted(2 * threads, "threads") + " in 2 JVMs on one name",
                        Kind.ONE_NAME,
                        2,
                        threads,
                        makers))
                .toList();
    }

    static List<Scenario> renewal(Maker... makers) {
        return IntStream.of(LEASES)
                .mapToObj(leases -> Scenario.of(
                                "renewal-" + leases,
                                counted(leases, "leases of 4 s") + " are held and renewed",
                                Kind.HELD,
                                1,
                                leases,
                                makers)
                        .withLease(SHORT_LEASE))
                .toList();
    }

    static Scenario memory(int leases, Maker... makers) {
        return Scenario.of("memory", "heap of " + counted(leases, "leases") + " held", Kind.MEMORY, 1, leases, makers);
    }

    static Scenario recovery(Maker... makers) {
        return Scenario.of("recovery", "the holder of a lease of 4 s is killed", Kind.RECOVERY, 2, 1, makers)
                .withLease(SHORT_LEASE);
    }

    private static String counted(int number, String what) {
        return String.format(Locale.ROOT, "%,d %s", number, what);
    }

    private static String plural(int number) {
        return number == 1 ? "" : "s";
    }
}
