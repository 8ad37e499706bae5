package dev.holdfast.bench.ruler;

import dev.holdfast.bench.results.Machine;
import dev.holdfast.bench.results.ResultsFile;
import dev.holdfast.bench.results.ResultsFile.Checkout;
import dev.holdfast.bench.results.ResultsFile.Command;
import dev.holdfast.bench.results.ScenarioResult;
import dev.holdfast.bench.results.ScenarioResult.Comparison;
import dev.holdfast.bench.results.ScenarioResult.Kind;
import dev.holdfast.bench.results.ScenarioResult.MakerResult;
import dev.holdfast.bench.results.ScenarioResult.Ratio;
import dev.holdfast.bench.results.ScenarioResult.TargetResult;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The results for machines. What stands in here was seen when the run began. */
final class Json {
    /** More digits than any spread is worth. */
    private static final MathContext DIGITS = new MathContext(6);

    private final Request request;
    private final String date = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    private final Machine machine = Machine.here();
    private final @Nullable Double load = Machine.load();

    Json(Request request) {
        this.request = request;
    }

    ResultsFile file(List<Finding> findings) {
        return new ResultsFile(
                date,
                machine,
                Runtime.version().toString(),
                machine.processors(),
                load,
                Checkout.parse(System.getProperty("holdfast.bench.commit", "")),
                command(),
                request.rounds(),
                request.turn().toMillis() / 1e3,
                findings.stream().map(Json::scenario).toList());
    }

    private Command command() {
        return new Command(
                request.store(),
                request.scenario().orElse(null),
                request.isSurvey() ? null : request.rounds(),
                request.time().toMillis() / 1e3,
                ClassPath.before().isPresent(),
                Checkout.parse(System.getProperty("holdfast.bench.before.commit", "")));
    }

    private static ScenarioResult scenario(Finding finding) {
        Scenario scenario = finding.scenario();
        Results results = finding.results();
        return new ScenarioResult(
                finding.store().word(),
                finding.server(),
                scenario.name(),
                scenario.title(),
                scenario.kind().unit(),
                scenario.kind().isMoreBetter(),
                finding.failure().orElse(null),
                results.makers().stream().map(maker -> maker(maker, results)).toList(),
                results.makers().stream()
                        .flatMap(maker -> comparison(scenario, maker, results).stream())
                        .toList(),
                scenario.targets().stream()
                        .map(target -> target(target, results))
                        .toList());
    }

    private static MakerResult maker(Maker maker, Results results) {
        return new MakerResult(
                maker.word(),
                maker.title(),
                maker.setUp(),
                results.of(maker).stream().map(Json::round).toList());
    }

    private static Map<String, @Nullable Double> round(Outing outing) {
        Map<String, @Nullable Double> figures = new LinkedHashMap<>();
        outing.figures().forEach((figure, value) -> figures.put(figure.word(), number(value)));
        return figures;
    }

    /** An earlier edition knows the shipped defaults only, so it is compared with ours as it is shipped. */
    private static Optional<Comparison> comparison(Scenario scenario, Maker theirs, Results results) {
        Maker ours = theirs == Maker.HOLDFAST_BEFORE
                ? Maker.HOLDFAST
                : scenario.makers().get(0);
        return results.ratio(ours, theirs, scenario.kind().figure())
                .filter(ratio -> theirs != ours)
                .map(ratio -> new Comparison(ours.word(), theirs.word(), theirs.title(), kind(theirs), ratio(ratio)));
    }

    private static Kind kind(Maker maker) {
        return switch (maker) {
            case HOLDFAST_BEFORE -> Kind.BEFORE;
            case JDK, JDK_FAIR -> Kind.LOCAL;
            default -> maker.isFloor() ? Kind.FLOOR : maker.isOurs() ? Kind.OURS : Kind.PEER;
        };
    }

    private static Ratio ratio(Spread spread) {
        return new Ratio(
                rounded(spread.median()), rounded(spread.least()), rounded(spread.most()), Lines.spread(spread));
    }

    private static TargetResult target(Target target, Results results) {
        Optional<Target.Measured> measured = target.figure().apply(results);
        double bound = rounded(target.bound());
        return new TargetResult(
                target.what(),
                target.atLeast() ? bound : null,
                target.atLeast() ? null : bound,
                measured.map(each -> number(each.value())).orElse(null),
                measured.map(each -> number(each.spread().least())).orElse(null),
                measured.map(each -> number(each.spread().most())).orElse(null),
                target.asked(),
                target.measured(results),
                target.isMet(results));
    }

    private static @Nullable Double number(double value) {
        return Double.isFinite(value) ? rounded(value) : null;
    }

    private static double rounded(double value) {
        return new BigDecimal(value, DIGITS).doubleValue();
    }
}
