package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chart.LogScale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.SAXException;

/** What is found comes out as Markdown, as a page and as charts. */
final class AccountTest {
    @TempDir
    Path directory;

    @Test
    void everyTargetIsNamedWithWhatWasMeasured() throws IOException {
        Path page = write(solo(30, 10), solo(10, 10));
        assertThat(Files.readString(page))
                .contains("at least 2.00 times Redisson RLock", "3.00", "class=\"met\"", "NOT MET", "1 of 2 are met.");
        assertThat(Files.readString(directory.resolve("report.md")))
                .contains("| redis | solo | at least 2.00 times Redisson RLock | 3.00 | met |");
    }

    @Test
    void pageNeedsNothingElseAndFollowsTheReader() throws IOException {
        String page = Files.readString(write(solo(30, 10)));
        assertThat(page).contains("<svg", "prefers-color-scheme").doesNotContain("<script", "<link", "<img", "src=");
    }

    @Test
    void everyChartIsAPictureOfItsOwn() throws IOException, ParserConfigurationException, SAXException {
        write(solo(30, 10), waiters(2, 1e5), waiters(100, 3e4));
        for (String name : List.of("redis-ratios", "redis-waiters-perSecond")) {
            String svg = Files.readString(directory.resolve(name + ".svg"));
            assertThat(DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(directory.resolve(name + ".svg").toFile())
                            .getDocumentElement()
                            .getTagName())
                    .isEqualTo("svg");
            assertThat(svg).doesNotContain("NaN", "Infinity");
            assertThat(Files.readString(directory.resolve("report.md"))).contains("(" + name + ".svg)");
        }
        assertThat(Files.readString(directory.resolve("redis-waiters-perSecond.svg")))
                .contains("Holdfast", "<polyline");
    }

    @Test
    void barsShowTimesBetterAlsoWhereLessIsBetter() throws IOException {
        Scenario scenario = Scenarios.handOff(0, Maker.HOLDFAST, Maker.REDISSON)
                .asking(Target.quickerThan(Maker.HOLDFAST, Maker.REDISSON, 0.5));
        write(finding(scenario, Figure.LATENCY_MICROS, 100, 400));
        assertThat(Files.readString(directory.resolve("redis-ratios.svg")))
                .contains("handoff: Redisson RLock", "4.00 ×", "class=\"better\"", "class=\"target\"")
                .doesNotContain("class=\"worse\"");
    }

    @Test
    void failuresAreToldAndDoNotBreakThePage() throws IOException {
        Finding failed = new Finding(
                new RedisStore(), "Redis", Scenarios.solo(Maker.HOLDFAST), new Results(), Optional.of("<b> & | no"));
        assertThat(Files.readString(write(failed))).contains("FAILED: &lt;b&gt; &amp; | no");
        assertThat(Files.readString(directory.resolve("report.md"))).contains("FAILED: \\<b\\> & \\| no");
    }

    @Test
    void axesHaveRoomForEverything() {
        LogScale scale = LogScale.of(List.of(0.02, 1.0, 350.0), 0, 100);
        assertThat(scale.ticks()).hasSize(6).first().isEqualTo(0.01);
        assertThat(scale.at(0.01)).isZero();
        assertThat(scale.at(1000)).isEqualTo(100);
        assertThat(LogScale.label(0.01)).isEqualTo("0.01");
        assertThat(LogScale.label(10_000)).isEqualTo("10,000");
    }

    private Path write(Finding... findings) throws IOException {
        return new Account(Request.of("redis"), List.of(findings)).document().write(directory);
    }

    private static Finding solo(double ours, double theirs) {
        Scenario scenario = Scenarios.solo(Maker.HOLDFAST, Maker.REDISSON)
                .asking(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 2));
        return finding(scenario, Figure.PER_SECOND, ours, theirs);
    }

    private static Finding waiters(int threads, double rate) {
        Scenario scenario = Scenarios.waiters(Maker.HOLDFAST, Maker.REDISSON).stream()
                .filter(each -> each.size() * each.processes() == threads)
                .findFirst()
                .orElseThrow();
        return finding(scenario, Figure.PER_SECOND, rate, rate / 100);
    }

    private static Finding finding(Scenario scenario, Figure figure, double ours, double theirs) {
        Results results = new Results();
        results.add(Maker.HOLDFAST, new Outing(Map.of(figure, ours)));
        results.add(Maker.REDISSON, new Outing(Map.of(figure, theirs)));
        return new Finding(new RedisStore(), "Redis", scenario, results, Optional.empty());
    }
}
