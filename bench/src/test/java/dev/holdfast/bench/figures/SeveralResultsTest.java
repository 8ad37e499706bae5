package dev.holdfast.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.figures.CommittedResults.Measured;
import dev.holdfast.bench.results.Machine;
import dev.holdfast.bench.results.ResultsFile;
import dev.holdfast.bench.results.ResultsFile.Checkout;
import dev.holdfast.bench.results.ResultsFile.Command;
import dev.holdfast.bench.results.ScenarioResult;
import dev.holdfast.bench.results.ScenarioResult.Comparison;
import dev.holdfast.bench.results.ScenarioResult.Kind;
import dev.holdfast.bench.results.ScenarioResult.Ratio;
import dev.holdfast.bench.results.ScenarioResult.TargetResult;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.SAXException;

/** Several results files come out as one text and one picture. */
final class SeveralResultsTest {
    private static final List<String> STORES = List.of("memory", "redis", "etcd");

    @TempDir
    Path directory;

    @Test
    void newestResultOfAScenarioCounts() throws IOException {
        write(
                "a.json",
                "2026-11-20T10:00:00Z",
                result("redis", "solo", 3, null),
                result("redis", "hot-2x4", 100, null));
        write("b.json", "2026-11-21T10:00:00Z", result("etcd", "solo", 1, null));
        write("c.json", "2026-11-19T10:00:00Z", result("redis", "solo", 2, null), result("redis", "hot-6x1", 10, null));
        assertThat(committed().newest())
                .extracting(Measured::result)
                .containsExactlyInAnyOrder(
                        result("redis", "solo", 3, null),
                        result("redis", "hot-2x4", 100, null),
                        result("redis", "hot-6x1", 10, null),
                        result("etcd", "solo", 1, null));
        assertThat(committed().newest().get(3).result().store()).isEqualTo("etcd");
        assertThat(text())
                .contains("| redis | solo | at least 2 times Peer | 3 | yes |")
                .doesNotContain("| 2 |");
    }

    @Test
    void runIsDescribedInOneLine() throws IOException {
        write("a.json", "2026-11-20T10:00:00Z", result("redis", "solo", 3, null));
        assertThat(text())
                .contains("| [a.json](../bench/results/a.json) | 2026-11-20 10:00 | redis 7, as set up |"
                        + " 2 processors, A, 24 GiB, Linux 6.1 amd64 | 17.0.1 | abc1234 | 0.25 |"
                        + " `bench/run --store redis --rounds 5 --seconds 2` |\n");
    }

    @Test
    void missedTargetIsBold() throws IOException {
        write("a.json", "2026-11-20T10:00:00Z", result("redis", "solo", 1, null));
        assertThat(text()).contains("| **1** | no |").doesNotContain("first edition");
    }

    @Test
    void earlierEditionHasATableOfItsOwnAlsoIfALaterRunWasWithoutIt() throws IOException {
        write("a.json", "2026-11-20T10:00:00Z", result("redis", "solo", 3, 1.25));
        write("b.json", "2026-11-21T10:00:00Z", result("redis", "solo", 4, null));
        assertThat(text())
                .contains("| redis | solo | at least 2 times Peer | 4 | yes |")
                .contains("--before first12`")
                .contains("| redis | solo | first12 | pairs a second | 1.25 | above 1 |");
    }

    @Test
    void pictureComparesWithTheUsualLibraryOnly() throws IOException, ParserConfigurationException, SAXException {
        write("a.json", "2026-11-20T10:00:00Z", result("redis", "solo", 3, 1.25), result("redis", "sticky", 900, null));
        String picture = picture();
        assertThat(picture)
                .contains(
                        "redis 7<", "solo, Peer<", "3.0 ×", "2026-11-20, 2 processors, A", "prefers-color-scheme:dark")
                .doesNotContain("sticky", "before", "NaN", "Infinity");
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void pictureSaysSoIfNoServerWasMeasured() throws IOException {
        ScenarioResult memory = result("memory", "solo", 3, null);
        write(
                "a.json",
                "2026-11-20T10:00:00Z",
                new ScenarioResult(
                        memory.store(),
                        memory.server(),
                        memory.name(),
                        memory.title(),
                        memory.unit(),
                        true,
                        null,
                        List.of(),
                        List.of(),
                        memory.targets()));
        assertThat(picture()).contains("No store with a server has been measured yet.");
    }

    private CommittedResults committed() throws IOException {
        return CommittedResults.read(directory, STORES);
    }

    private String text() throws IOException {
        return new FiguresText(committed()).markdown();
    }

    private String picture() throws IOException {
        return new FiguresPicture(committed()).svg();
    }

    private void write(String file, String date, ScenarioResult... scenarios) throws IOException {
        boolean withBefore = scenarios[0].comparisons().size() > 1;
        new ResultsFile(
                        date,
                        new Machine("A", 2, 23.5, "Linux", "amd64", "6.1"),
                        "17.0.1",
                        2,
                        0.25,
                        new Checkout("abc1234", false),
                        new Command(
                                "redis", null, 5, 2, withBefore, withBefore ? new Checkout("first12", false) : null),
                        5,
                        2,
                        List.of(scenarios))
                .write(directory.resolve(file));
    }

    private static ScenarioResult result(String store, String name, double times, @Nullable Double before) {
        Comparison peer = comparison("peer", "Peer", Kind.PEER, times);
        return new ScenarioResult(
                store,
                store + " 7, as set up",
                name,
                "title",
                "pairs a second",
                true,
                null,
                List.of(),
                before == null ? List.of(peer) : List.of(peer, comparison("before", "before", Kind.BEFORE, before)),
                List.of(new TargetResult(
                        "times Peer",
                        2.0,
                        null,
                        times,
                        times,
                        times,
                        "at least 2 times Peer",
                        Long.toString(Math.round(times)),
                        times >= 2)));
    }

    private static Comparison comparison(String maker, String title, Kind kind, double times) {
        return new Comparison("holdfast", maker, title, kind, new Ratio(times, times, times, Double.toString(times)));
    }
}
