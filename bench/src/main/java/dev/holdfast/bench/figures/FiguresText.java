package dev.holdfast.bench.figures;

import dev.holdfast.bench.figures.CommittedResults.Measured;
import dev.holdfast.bench.figures.CommittedResults.Run;
import dev.holdfast.bench.results.ResultsFile;
import dev.holdfast.bench.results.ResultsFile.Checkout;
import dev.holdfast.bench.results.ResultsFile.Command;
import dev.holdfast.bench.results.ScenarioResult;
import dev.holdfast.bench.results.ScenarioResult.Kind;
import dev.holdfast.bench.results.ScenarioResult.TargetResult;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures as Markdown. */
final class FiguresText {
    private static final String INTRODUCTION = """
            `bench/figures` wrote the tables from here to the earlier measurements. It reads the files in
            [bench/results](../bench/results), which `bench/run --json` writes. If several files have the same scenario of a store, the newest
            result counts. The load is the load average of the machine when the run began.
            """;

    private static final String TARGETS = """
            A figure is the median over the rounds, with the smallest and the largest in brackets. Bold figures miss their target.
            """;

    private static final String BEFORE = """
            Against the first edition: the same rounds also measured Holdfast as it was at an earlier commit (`--before`). The ratio is Holdfast
            divided by that edition.
            """;

    private final CommittedResults committed;

    FiguresText(CommittedResults committed) {
        this.committed = committed;
    }

    String markdown() {
        List<String> parts = new ArrayList<>(List.of(
                INTRODUCTION,
                table(
                        "file | date (UTC) | server | machine | Java | commit | load | command",
                        committed.runs().stream().map(FiguresText::run)),
                TARGETS,
                table(
                        "store | scenario | asked | measured | met",
                        committed.newest().stream().flatMap(FiguresText::targets))));
        List<Measured> both = committed.newestWithBefore();
        if (!both.isEmpty()) {
            parts.add(BEFORE);
            parts.add(table(
                    "store | scenario | first edition | unit | Holdfast / first edition | better is",
                    both.stream().map(FiguresText::before)));
        }
        return String.join("\n", parts);
    }

    private static String table(String head, Stream<List<String>> rows) {
        String rule = "|" + "---|".repeat(head.split(" \\| ", -1).length);
        return "| " + head + " |\n" + rule + "\n" + rows.map(FiguresText::row).collect(Collectors.joining());
    }

    private static String row(List<String> cells) {
        return cells.stream().map(cell -> cell.replace("|", "\\|")).collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static List<String> run(Run run) {
        ResultsFile results = run.results();
        return List.of(
                "[" + run.file() + "](../bench/results/" + run.file() + ")",
                results.date().replaceFirst("T(\\d+:\\d+).*", " $1"),
                results.scenarios().stream()
                        .map(ScenarioResult::server)
                        .distinct()
                        .collect(Collectors.joining("; ")),
                results.machine().text(),
                results.java(),
                commit(results.checkout()),
                Optional.ofNullable(results.load()).map(FiguresText::number).orElse("unknown"),
                "`" + command(results.command()) + "`");
    }

    private static String command(Command command) {
        return "bench/run --store " + command.store()
                + option("--scenario", command.scenario())
                + option("--rounds", command.rounds())
                + option("--seconds", number(command.seconds()))
                + (command.withBefore() ? option("--before", commit(command.before())) : "");
    }

    private static String option(String name, @Nullable Object value) {
        return value == null ? "" : " " + name + " " + value;
    }

    private static Stream<List<String>> targets(Measured measured) {
        ScenarioResult result = measured.result();
        return result.targets().stream()
                .map(target -> List.of(
                        result.store(), result.name(), target.asked(), figure(result, target), verdict(target)));
    }

    private static String figure(ScenarioResult result, TargetResult target) {
        String figure = result.failure() == null ? target.measured() : "failed: " + result.failure();
        return target.met() ? figure : "**" + figure + "**";
    }

    private static String verdict(TargetResult target) {
        return target.value() == null ? "not measured" : target.met() ? "yes" : "no";
    }

    private static List<String> before(Measured measured) {
        ScenarioResult result = measured.result();
        return List.of(
                result.store(),
                result.name(),
                commit(measured.run().results().command().before()),
                result.unit(),
                result.comparisons().stream()
                        .filter(each -> each.kind() == Kind.BEFORE)
                        .map(each -> each.ratio().text())
                        .collect(Collectors.joining()),
                result.moreIsBetter() ? "above 1" : "below 1");
    }

    private static String commit(@Nullable Checkout checkout) {
        return checkout == null ? "unknown" : checkout.text();
    }

    private static String number(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }
}
