package dev.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.check.PeerCounts;
import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.peers.Maker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is counted of other libraries, in histories written by hand; and that each of them can be run. */
final class PeerCountsTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    private final List<Line> lines = new ArrayList<>();

    @Test
    void oneAfterTheOtherCountsNothing() throws IOException {
        hold("w0", "a", 100, 190, 0, 200, "released", 1);
        hold("w1", "b", 210, 290, 0, 300, "released", 2);
        Verdict counts = count();
        assertThat(counts.counted("grants")).isEqualTo(2);
        assertThat(counts.counted("overlaps")).isZero();
        assertThat(counts.counted("replaced_and_told")).isZero();
        assertThat(counts.counted("replaced_and_not_told")).isZero();
        assertThat(counts.counted("tokens_not_larger")).isZero();
    }

    @Test
    void aHolderWhoWasReplacedAndHeardNothingOverlaps() throws IOException {
        hold("w0", "a", 100, 290, 0, 300, "released", -1);
        hold("w1", "b", 150, 190, 0, 200, "released", -1);
        Verdict counts = count();
        assertThat(counts.counted("overlaps")).isEqualTo(1);
        assertThat(counts.counted("replaced_and_not_told")).isEqualTo(1);
    }

    @Test
    void aHolderWhoWasReplacedAndToldSoDoesNot() throws IOException {
        hold("w0", "a", 100, 0, 290, 300, "lost", -1);
        hold("w1", "b", 150, 190, 0, 200, "released", -1);
        Verdict counts = count();
        assertThat(counts.counted("overlaps")).isZero();
        assertThat(counts.counted("replaced_and_told")).isEqualTo(1);
        assertThat(counts.counted("replaced_and_not_told")).isZero();
    }

    @Test
    void aTokenThatGoesBackIsCounted() throws IOException {
        hold("w0", "a", 100, 190, 0, 200, "released", 7);
        hold("w1", "b", 210, 290, 0, 300, "released", 6);
        assertThat(count().counted("tokens_not_larger")).isEqualTo(1);
    }

    @Test
    void updatesAreCountedByWhetherTheLibraryWasAsked() throws IOException {
        line("w0", 10, Line.of("write").with("control", true).with("lost", true));
        line("w0", 20, Line.of("write").with("blind", true).with("lost", true));
        line("w0", 30, Line.of("write").with("lost", true));
        line("w0", 40, Line.of("write").with("lost", false));
        Verdict counts = count();
        assertThat(counts.counted("lost_updates_without_locks")).isEqualTo(1);
        assertThat(counts.counted("lost_updates_unasked")).isEqualTo(1);
        assertThat(counts.counted("lost_updates_asked")).isEqualTo(1);
    }

    /** Nothing is asked of what they do: only that the run could have shown it. */
    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void everyMakerCanBeRun(Maker maker) throws InterruptedException {
        Options options = Options.defaults()
                .withMaker(maker.word())
                .withStorm(Duration.ofSeconds(2), Duration.ofMillis(700))
                .withLease(Duration.ofSeconds(3))
                .withOut(directory);
        Verdict counts = PeerCounts.of(new Torture(options).record(maker.rig()));
        assertThat(counts.counted("grants")).isPositive();
        assertThat(counts.counted("lost_updates_without_locks")).isPositive();
    }

    private void hold(String process, String op, long got, long held, long lost, long end, String how, long token) {
        Line asked = Line.of("invoke")
                .with("op", op)
                .with("kind", "x")
                .with("lock", "n")
                .with("units", 1);
        asked.with("cap", 1).with("way", "TRY_WAIT").with("wait", 900).with("client", process + "#1");
        line(process, got - 5, asked);
        line(process, got, Line.of("ok").with("op", op).with("tokens", Long.toString(token)));
        Line ended = Line.of("end").with("op", op).with("from", (end - 1) * MS).with("how", how);
        line(process, end, ended.with("held", held * MS).with("lostAt", lost * MS));
    }

    private void line(String process, long millis, Line line) {
        lines.add(line.with("p", process).with("n", millis * MS).with("t", millis * MS));
    }

    private Verdict count() throws IOException {
        List<String> all = new ArrayList<>();
        Line store = Line.of("store").with("rig", "hand").with("promises", "").with("expiry", "LEASE");
        store.with("leaseMillis", 3000).with("timeoutMillis", 800).with("afterlifeMillis", 3000);
        all.add(store.with("t", 0).toString());
        for (String process : List.of("w0", "w1")) {
            Line clock = Line.of("clock").with("p", process).with("sent", 0).with("between", MS / 10);
            all.add(clock.with("n", MS / 10).with("t", MS / 10).toString());
        }
        lines.forEach(line -> all.add(line.toString()));
        return PeerCounts.of(Files.write(directory.resolve("history.jsonl"), all));
    }
}
