package dev.holdfast.bench.ruler;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What people read. Used by one thread. */
final class Report {
    /** More than this for each processor before the start, and others are busy here. */
    private static final double QUIET_LOAD = 0.5;

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    void begin(Request request) {
        out.printf(
                Locale.ROOT,
                "Java %s, %d processors, %s%d rounds of %s s for each maker in turns, after %s of %s s to warm up%n",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                request.isSurvey() ? "a survey: up to " : "",
                request.rounds(),
                seconds(request.turn()),
                request.warmUpsText(),
                seconds(request.warmUp(true)));
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        if (load > Runtime.getRuntime().availableProcessors() * QUIET_LOAD) {
            out.printf(Locale.ROOT, "NOISY: the load average is %.1f already; look at the spreads.%n", load);
        }
    }

    void begin(Store store, Venue venue) {
        out.printf("%n== %s: %s%n", store.word(), venue.server());
        store.scenarios().stream()
                .flatMap(scenario -> scenario.makers().stream())
                .distinct()
                .sorted()
                .forEach(maker -> out.printf("   %-26s %s%n", maker.title(), maker.setUp()));
    }

    void print(Finding finding) {
        Scenario scenario = finding.scenario();
        out.printf("%n%s %s: %s%n", finding.store().word(), scenario.name(), scenario.title());
        finding.failure().ifPresent(why -> out.printf("  FAILED: %s%n", why));
        Lines lines = new Lines(finding.results(), scenario.makers().get(0));
        for (Maker maker : finding.results().makers()) {
            out.printf(
                    "  %-26s %s%n",
                    maker.title(),
                    switch (scenario.kind()) {
                        case OWN_NAMES, THREE_NAMES -> lines.rate(maker);
                        case ONE_NAME -> lines.rate(maker) + "\n" + " ".repeat(29) + lines.fairness(maker);
                        case HAND_OVER, ACQUIRE, ACQUIRE_AT_ONCE -> lines.latency(maker);
                        case HELD -> lines.renewal(maker);
                        case WAITING -> lines.waiting(maker);
                        case MEMORY -> lines.memory(maker);
                        case RECOVERY -> lines.recovery(maker);
                        case CROWD -> lines.everything(maker);
                    });
        }
        scenario.targets().forEach(target -> out.printf("  %s%n", verdict(target, finding.results())));
    }

    /** Once more all targets together, since with many scenarios they are far apart. */
    void finish(List<Finding> findings, Duration took) {
        if (findings.size() > 1) {
            out.printf("%nAll targets%n");
            findings.forEach(finding -> finding.scenario()
                    .targets()
                    .forEach(target -> out.printf("  %-27s %s%n", finding.name(), verdict(target, finding.results()))));
        }
        String failed = findings.stream()
                .filter(finding -> finding.failure().isPresent())
                .map(finding -> finding.name())
                .collect(Collectors.joining(", "));
        out.printf(
                "%n%d of %d targets met%s, %d min %02d s%n",
                findings.stream().mapToLong(Finding::met).sum(),
                findings.stream()
                        .mapToInt(finding -> finding.scenario().targets().size())
                        .sum(),
                failed.isEmpty() ? "" : "; FAILED: " + failed,
                took.toMinutes(),
                took.toSecondsPart());
    }

    void tellOf(Path page) {
        out.printf("The report with charts is in %s%n", page);
    }

    private static String verdict(Target target, Results results) {
        return "target: " + target.asked() + "  " + target.measured(results) + "  " + target.verdict(results);
    }

    private static String seconds(Duration time) {
        return Lines.number(time.toMillis() / 1e3);
    }
}
