package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.bench.results.Machine;
import dev.holdfast.bench.results.ResultsFile;
import dev.holdfast.bench.results.ScenarioResult;
import dev.holdfast.bench.results.ScenarioResult.Comparison;
import dev.holdfast.bench.results.ScenarioResult.Kind;
import dev.holdfast.bench.results.ScenarioResult.Ratio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever reads the results of a run can tell from them what was asked, where, and what came out. */
final class JsonTest {
    @TempDir
    Path directory;

    @Test
    void fileNamesTheRun() {
        Request request = Request.of("redis").withScenario("solo").withRounds(3).withTime(Duration.ofSeconds(1));
        ResultsFile file = new Json(request).file(List.of());
        assertThat(file.date()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        assertThat(file.machine()).isEqualTo(Machine.here());
        assertThat(file.machine().memoryGib()).isPositive();
        assertThat(file.command()).isEqualTo(new ResultsFile.Command("redis", "solo", 3, 1, false, null));
    }

    @Test
    void surveyDoesNotNameRoundsThatNobodyChose() {
        assertThat(new Json(Request.of(Request.ALL)).file(List.of()).command().rounds())
                .isNull();
    }

    @Test
    void comparisonsAreThoseOfTheRounds() {
        ScenarioResult result = result(Maker.HOLDFAST, Maker.REDISSON, Maker.JEDIS, Maker.HOLDFAST_BEFORE);
        assertThat(result.comparisons())
                .containsExactly(
                        comparison(
                                Maker.HOLDFAST_BEFORE, Kind.BEFORE, new Ratio(0.5, 0.25, 0.75, "0.50 (0.25 to 0.75)")),
                        comparison(Maker.REDISSON, Kind.PEER, new Ratio(1, 0.5, 1.5, "1.00 (0.50 to 1.50)")),
                        comparison(Maker.JEDIS, Kind.FLOOR, new Ratio(0.666667, 0.333333, 1, "0.67 (0.33 to 1.00)")));
        assertThat(result.makers())
                .hasSize(4)
                .allSatisfy(maker -> assertThat(maker.rounds()).hasSize(3));
    }

    @Test
    void earlierEditionIsComparedWithWhatIsShipped() {
        assertThat(result(Maker.HOLDFAST_METRICS, Maker.HOLDFAST, Maker.HOLDFAST_BEFORE)
                        .comparisons())
                .extracting(Comparison::ours, Comparison::theirs, Comparison::kind)
                .containsExactlyInAnyOrder(
                        tuple("holdfast-metrics", "holdfast", Kind.OURS),
                        tuple("holdfast", "holdfast-before", Kind.BEFORE));
    }

    @Test
    void targetsHaveTheirSpreadAndTheTextForPeople() {
        assertThat(result(Maker.HOLDFAST, Maker.REDISSON).targets())
                .singleElement()
                .satisfies(target -> {
                    assertThat(target.atLeast()).isEqualTo(1.5);
                    assertThat(target.atMost()).isNull();
                    assertThat(target.value()).isEqualTo(1);
                    assertThat(target.least()).isEqualTo(0.5);
                    assertThat(target.most()).isEqualTo(1.5);
                    assertThat(target.asked()).isEqualTo("at least 1.50 times Redisson RLock");
                    assertThat(target.measured()).isEqualTo("1.00 (0.50 to 1.50)");
                    assertThat(target.met()).isFalse();
                });
    }

    @Test
    void whatIsWrittenCanBeRead() throws IOException {
        Finding failed = new Finding(
                new RedisStore(),
                "Redis",
                Scenarios.solo(Maker.HOLDFAST),
                new Results(),
                Optional.of("it said: \"no\"\n\\"));
        ResultsFile file = new Json(Request.of("redis")).file(List.of(finding(Maker.HOLDFAST, Maker.REDISSON), failed));
        Path json = directory.resolve("redis.json");
        file.write(json);
        assertThat(ResultsFile.read(json)).isEqualTo(file);
        assertThat(Files.readString(json).lines()).contains("            { \"perSecond\" : 100.0 },");
    }

    private static Comparison comparison(Maker theirs, Kind kind, Ratio ratio) {
        return new Comparison("holdfast", theirs.word(), theirs.title(), kind, ratio);
    }

    private static ScenarioResult result(Maker... makers) {
        return new Json(Request.of("redis"))
                .file(List.of(finding(makers)))
                .scenarios()
                .get(0);
    }

    /** The first has 100, 200 and 300, the second 200, the third 300, the fourth 400. */
    private static Finding finding(Maker... makers) {
        Results results = new Results();
        for (double round = 1; round <= 3; round++) {
            for (int i = 0; i < makers.length; i++) {
                results.add(makers[i], new Outing(Map.of(Figure.PER_SECOND, i == 0 ? 100 * round : 100.0 * (i + 1))));
            }
        }
        Scenario scenario = Scenarios.solo(makers).asking(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 1.5));
        return new Finding(new RedisStore(), "Redis", scenario, results, Optional.empty());
    }
}
