package dev.holdfast.bench.ruler;

import dev.holdfast.bench.ruler.BarChart.Bar;
import dev.holdfast.bench.ruler.Document.Block;
import dev.holdfast.bench.ruler.Document.Chart;
import dev.holdfast.bench.ruler.Document.Heading;
import dev.holdfast.bench.ruler.Document.Table;
import dev.holdfast.bench.ruler.Document.Text;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Writes up what was found: all targets first, then store by store the set-up, the charts and the figures. */
final class Account {
    private static final List<Family> FAMILIES = List.of(
            new Family("waiters", "threads that want the lock", Figure.PER_SECOND, "grants a second"),
            new Family("waiters", "threads that want the lock", Figure.REQUESTS_PER_GRANT, "requests for each grant"),
            new Family("renewal", "leases held", Figure.ROUND_TRIPS, "requests in a renewal period"),
            new Family(
                    "renewal", "leases held", Figure.CPU_MILLIS, "ms of the client's processor in a renewal period"));

    private final Request request;
    private final List<Finding> findings;
    private final List<Block> blocks = new ArrayList<>();

    Account(Request request, List<Finding> findings) {
        this.request = request;
        this.findings = List.copyOf(findings);
    }

    /** Scenarios that differ only in size, and what is drawn of them. */
    private record Family(String name, String grows, Figure figure, String unit) {}

    Document document() {
        blocks.clear();
        blocks.add(new Text(circumstances()));
        targets();
        Map<String, List<Finding>> byStore = new LinkedHashMap<>();
        findings.forEach(finding -> byStore.computeIfAbsent(finding.store().word(), word -> new ArrayList<>())
                .add(finding));
        byStore.forEach(this::store);
        return new Document("Holdfast benchmarks", List.copyOf(blocks));
    }

    private String circumstances() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS) + ", Java " + Runtime.version() + ", "
                + Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ". " + (request.isSurvey() ? "A survey with up to " : "")
                + request.rounds() + (request.rounds() == 1 ? " round of " : " rounds of ")
                + Lines.number(request.turn().toMillis() / 1e3)
                + " s for each maker in turns on the same server, after " + request.warmUpsText() + " of "
                + Lines.number(request.warmUp(true).toMillis() / 1e3)
                + " s to warm up. Figures are medians over the rounds, in brackets the smallest and the largest; ratios"
                + " are taken round by round, ours divided by theirs. Method and limits: docs/benchmarks.md.";
    }

    private void targets() {
        List<List<String>> rows = findings.stream()
                .flatMap(finding -> finding.scenario().targets().stream()
                        .map(target -> List.of(
                                finding.store().word(),
                                finding.scenario().name(),
                                target.asked(),
                                target.measured(finding.results()),
                                target.verdict(finding.results()))))
                .toList();
        long met = findings.stream().mapToLong(Finding::met).sum();
        blocks.add(new Heading(2, "Targets"));
        blocks.add(new Text(met + " of " + rows.size() + " are met."));
        blocks.add(new Table(5, List.of("store", "scenario", "asked of Holdfast", "measured", "verdict"), rows));
    }

    private void store(String word, List<Finding> found) {
        blocks.add(new Heading(2, word));
        blocks.add(new Text("Server: " + found.get(0).server() + "."));
        blocks.add(new Table(
                2,
                List.of("maker", "version and set-up"),
                found.stream()
                        .flatMap(finding -> finding.scenario().makers().stream())
                        .distinct()
                        .sorted()
                        .map(maker -> List.of(maker.title(), maker.setUp()))
                        .toList()));
        List<Bar> bars = found.stream()
                .filter(finding -> FAMILIES.stream()
                        .noneMatch(family ->
                                family.name().equals(finding.scenario().family())))
                .flatMap(Account::bars)
                .toList();
        if (!bars.isEmpty()) {
            String title = "How many times better Holdfast is on " + word + " (rates, times, requests, bytes)";
            blocks.add(new Chart(word + "-ratios", title, BarChart.draw(title, bars)));
        }
        FAMILIES.forEach(family -> lines(word, family, found));
        found.forEach(this::figures);
    }

    private static Stream<Bar> bars(Finding finding) {
        Scenario scenario = finding.scenario();
        Maker ours = scenario.makers().get(0);
        return finding.results().makers().stream()
                .filter(maker -> maker != ours)
                .flatMap(maker -> better(finding, ours, maker)
                        .map(times -> new Bar(
                                scenario.name() + ": " + maker.title() + (maker.isFloor() ? " (floor)" : ""),
                                times,
                                asked(scenario, maker)))
                        .stream());
    }

    private static Optional<Spread> better(Finding finding, Maker ours, Maker theirs) {
        Scenario.Kind kind = finding.scenario().kind();
        return finding.results()
                .ratio(ours, theirs, kind.figure())
                .filter(ratio -> ratio.least() > 0)
                .map(ratio -> kind.isMoreBetter() ? ratio : ratio.inverse());
    }

    private static Optional<Double> asked(Scenario scenario, Maker theirs) {
        return scenario.targets().stream()
                .filter(target -> target.peer().equals(Optional.of(theirs)))
                .map(target -> target.atLeast() ? target.bound() : 1 / target.bound())
                .findFirst();
    }

    private void lines(String word, Family family, List<Finding> found) {
        Map<Maker, Map<Integer, Double>> points = new LinkedHashMap<>();
        for (Finding finding : found) {
            Scenario scenario = finding.scenario();
            if (scenario.family().equals(family.name())) {
                int x = scenario.size() * scenario.processes();
                scenario.makers()
                        .forEach(maker -> finding.results()
                                .figure(maker, family.figure())
                                .filter(spread -> spread.median() > 0)
                                .ifPresent(spread -> points.computeIfAbsent(maker, each -> new LinkedHashMap<>())
                                        .put(x, spread.median())));
            }
        }
        if (!points.isEmpty()) {
            String title = word + ": " + family.unit() + ", by " + family.grows();
            List<LineChart.Line> drawn = points.entrySet().stream()
                    .map(entry -> new LineChart.Line(entry.getKey().title(), entry.getValue()))
                    .toList();
            String name = word + "-" + family.name() + "-" + family.figure().word();
            blocks.add(new Chart(name, title, LineChart.draw(title, family.grows(), drawn)));
        }
    }

    private void figures(Finding finding) {
        blocks.add(new Heading(3, finding.name() + ": " + finding.scenario().title()));
        finding.failure().ifPresent(why -> blocks.add(new Text("FAILED: " + why)));
        if (!finding.results().makers().isEmpty()) {
            blocks.add(FigureTable.of(finding));
        }
    }
}
