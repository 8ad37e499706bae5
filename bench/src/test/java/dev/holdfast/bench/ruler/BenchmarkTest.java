package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.bench.results.Machine;
import dev.holdfast.bench.results.ResultsFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One small run on each real server: everything that a store names is there and is measured. */
@Tag("full")
final class BenchmarkTest {
    private static final Duration SHORT = Duration.ofMillis(200);

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "memory, solo",
        "memory, memory",
        "redis, solo",
        "redis, hot-2x4",
        "redis, multi",
        "redis, http",
        "redis, memory",
        "redis, renewal-100",
        "redis, recovery",
        "postgres, solo",
        "postgres, advisory",
        "postgres, handoff",
        "postgres, waiting-500",
        "mariadb, solo",
        "mariadb, handoff",
        "mariadb, waiting-500",
        "mariadb, renewal-100",
        "mariadb, recovery",
        "zookeeper, solo",
        "zookeeper, handoff",
        "zookeeper, multi",
        "zookeeper, renewal-100",
        "zookeeper, recovery",
        "etcd, solo",
        "etcd, handoff",
        "etcd, multi",
        "etcd, renewal-100",
        "etcd, recovery"
    })
    void everyMakerIsMeasured(String store, String scenario) throws InterruptedException, IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Path json = directory.resolve("results.json");
        Request request = Request.of(store)
                .withScenario(scenario)
                .withTime(SHORT)
                .withRounds(1)
                .withWarmUp(SHORT)
                .withJson(json);
        Benchmark benchmark = Benchmark.of(request, new PrintStream(printed, true, StandardCharsets.UTF_8));
        boolean met = benchmark.run();
        // Maven Central has every server but this one.
        assumeThat(benchmark.findings())
                .as("etcd can run here")
                .noneMatch(finding -> store.equals("etcd") && finding.server().equals("no server"));
        assertThat(benchmark.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.failure()).isEmpty();
            assertThat(finding.isGood()).isEqualTo(met);
            assertThat(finding.results().makers())
                    .containsExactlyInAnyOrderElementsOf(finding.scenario().makers());
            assertThat(finding.scenario().targets())
                    .allSatisfy(target ->
                            assertThat(target.figure().apply(finding.results())).isPresent());
        });
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("== " + store + ":", " targets met")
                .doesNotContain("NOT MEASURED", "unknown version");
        ResultsFile results = ResultsFile.read(json);
        assertThat(results.command().store()).isEqualTo(store);
        assertThat(results.machine()).isEqualTo(Machine.here());
        assertThat(results.scenarios()).singleElement().satisfies(result -> {
            assertThat(result.name()).isEqualTo(scenario);
            assertThat(result.failure()).isNull();
            assertThat(result.makers())
                    .allSatisfy(maker -> assertThat(maker.rounds()).isNotEmpty());
            assertThat(result.targets())
                    .allSatisfy(target -> assertThat(target.value()).isNotNull());
        });
    }
}
