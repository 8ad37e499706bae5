package dev.holdfast.bench.ruler;

import dev.holdfast.rig.redis.RedisNode;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** What people read. Used by one thread. */
final class Report {
    /** More than this for each processor before the start, and others are busy here. */
    private static final double QUIET_LOAD = 0.5;

    private final PrintStream out;
    private int met;
    private int targets;

    Report(PrintStream out) {
        this.out = out;
    }

    void begin(RedisNode redis, Request request) {
        String version = String.valueOf(redis.ask("INFO", "server"))
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .findFirst()
                .orElse("redis_version:unknown");
        out.printf(
                Locale.ROOT,
                "Java %s, %d processors, %s, %d rounds of %s s in turns, after %d to warm up%n",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                version,
                request.rounds(),
                number(request.time().toMillis() / 1e3),
                RedisRuler.WARM_UP_ROUNDS);
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        if (load > Runtime.getRuntime().availableProcessors() * QUIET_LOAD) {
            out.printf(Locale.ROOT, "NOISY: the load average is %.1f already; look at the spreads.%n", load);
        }
    }

    void print(Scenario scenario, Results results) {
        out.printf("%n%s: %s%n", scenario.name(), scenario.title());
        Maker ours = scenario.makers().get(0);
        for (Maker maker : results.makers()) {
            out.printf(
                    "  %-26s %s%n",
                    maker.title(),
                    switch (scenario.kind()) {
                        case OWN_NAMES -> rate(results, ours, maker);
                        case ONE_NAME -> rate(results, ours, maker) + fairness(results, maker);
                        case HAND_OVER -> latency(results, ours, maker);
                        case HELD -> figure(results, maker, Outing::roundTrips, "%,.0f commands a renewal period");
                    });
        }
        scenario.targets().forEach(target -> print(target, results));
    }

    /** Returns whether all targets are met. */
    boolean finish() {
        out.printf("%n%d of %d targets met%n", met, targets);
        return met == targets;
    }

    private void print(Target target, Results results) {
        targets++;
        boolean isMet = target.isMet(results);
        met += isMet ? 1 : 0;
        Optional<Target.Measured> measured = target.figure().apply(results);
        out.printf(
                Locale.ROOT,
                "  target: %s %s %s  %s%n",
                target.atLeast() ? "at least" : "at most",
                number(target.bound()),
                target.what(),
                measured.map(figure -> number(figure.value()) + " ("
                                + number(figure.spread().least()) + " to "
                                + number(figure.spread().most()) + ")  " + (isMet ? "met" : "NOT MET"))
                        .orElse("NOT MEASURED"));
    }

    private static String rate(Results results, Maker ours, Maker maker) {
        return figure(results, maker, Outing::perSecond, "%,12.0f/s")
                + compared(results, ours, maker, Outing::perSecond);
    }

    private static String latency(Results results, Maker ours, Maker maker) {
        return figure(results, maker, Outing::handOverMicros, "%,9.0f us median")
                + compared(results, ours, maker, Outing::handOverMicros);
    }

    private static String compared(Results results, Maker ours, Maker maker, ToDoubleFunction<Outing> figure) {
        if (ours == maker) {
            return "";
        }
        return results.ratio(ours, maker, figure)
                .map(spread -> String.format(
                        Locale.ROOT,
                        "  ours/theirs %s (%s to %s)",
                        number(spread.median()),
                        number(spread.least()),
                        number(spread.most())))
                .orElse("");
    }

    private static String fairness(Results results, Maker maker) {
        return "\n" + " ".repeat(29)
                + results.figure(maker, Outing::longestWaitMillis)
                        .map(spread -> String.format(Locale.ROOT, "longest wait %,.0f ms", spread.most()))
                        .orElse("")
                + results.figure(maker, Outing::longestSwitchMillis)
                        .map(spread -> String.format(Locale.ROOT, ", across clients %,.0f ms", spread.most()))
                        .orElse("")
                + results.figure(maker, Outing::leastServed)
                        .map(spread -> String.format(Locale.ROOT, ", least served %.2f of the mean", spread.least()))
                        .orElse("")
                + figure(results, maker, Outing::switchesPerSecond, ", %,.0f client switches/s");
    }

    private static String figure(Results results, Maker maker, ToDoubleFunction<Outing> figure, String format) {
        return results.figure(maker, figure)
                .map(spread -> String.format(Locale.ROOT, format, spread.median()))
                .orElse("");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 10 ? "%,.0f" : "%.2f", value);
    }
}
