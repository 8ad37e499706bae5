package dev.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.history.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories written by hand: what the checker accuses, and what it must not. Clocks of all processes are 0.1 ms uncertain. */
final class CheckerTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    private final List<Line> lines = new ArrayList<>();
    private String promises = "BETWEEN_PROCESSES,FAIR,LOSS_BEFORE_REGRANT,PAUSED_HOLDER_IS_REPLACED";

    @Test
    void oneAfterTheOtherIsFine() throws IOException {
        hold("w0", "a", 100, 110, 200, 4096);
        hold("w1", "b", 120, 210, 300, 8192);
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void twoHoldersAtTheSameTimeAreFound() throws IOException {
        hold("w0", "a", 100, 110, 200, 4096);
        hold("w1", "b", 120, 150, 300, 8192);
        assertThat(properties()).containsExactly("P1");
    }

    @Test
    void whatTheClocksCannotTellApartIsNotAccused() throws IOException {
        hold("w0", "a", 100, 110, 200, 4096);
        line(
                "w1",
                120 * MS,
                Line.of("invoke")
                        .with("op", "b")
                        .with("kind", "x")
                        .with("lock", "n")
                        .with("units", 1)
                        .with("cap", 1)
                        .with("way", "TRY")
                        .with("wait", 900)
                        .with("client", "w1#1"));
        // It returned 0.05 ms before the other one was last seen to hold: within the uncertainty.
        line("w1", 200 * MS - MS / 20, Line.of("ok").with("op", "b").with("tokens", "8192"));
        line(
                "w1",
                300 * MS,
                Line.of("end")
                        .with("op", "b")
                        .with("from", 300 * MS)
                        .with("held", 299 * MS)
                        .with("lostAt", 0)
                        .with("how", "released"));
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void anOverlapAfterALostMemoryIsCountedUnlessLocksSurviveThat() throws IOException {
        fault("server-restarted", "redis", "RESTART", 90, 100);
        hold("w0", "a", 50, 60, 200, 4096);
        hold("w1", "b", 120, 150, 300, 8192);
        Verdict verdict = check();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.counted("overlaps_not_excluded_by_the_guarantees")).isEqualTo(1);
        promises += ",SURVIVES_RESTART";
        assertThat(properties()).containsExactly("P1");
    }

    @Test
    void tokensThatGoBackOrRepeatAreFound() throws IOException {
        hold("w0", "a", 100, 110, 200, 8192);
        hold("w1", "b", 210, 220, 300, 4096);
        hold("w1", "c", 310, 320, 400, 8192);
        assertThat(properties()).contains("P3", "P4", "P5");
    }

    @Test
    void whoBelievesToHoldAfterAPauseBeyondTheLeaseIsFound() throws IOException {
        fault("paused", "w0", "NOTHING", 120, 3000);
        hold("w0", "a", 100, 110, 3100, 4096);
        assertThat(properties()).containsExactly("P10");
    }

    private List<String> properties() throws IOException {
        return check().violations().stream()
                .map(Verdict.Violation::property)
                .distinct()
                .toList();
    }

    private void hold(String process, String op, long asked, long got, long until, long token) {
        line(
                process,
                asked * MS,
                Line.of("invoke")
                        .with("op", op)
                        .with("kind", "x")
                        .with("lock", "n")
                        .with("units", 1)
                        .with("cap", 1)
                        .with("way", "TRY")
                        .with("wait", 900)
                        .with("client", process + "#1"));
        line(process, got * MS, Line.of("ok").with("op", op).with("tokens", Long.toString(token)));
        line(
                process,
                until * MS,
                Line.of("end")
                        .with("op", op)
                        .with("from", until * MS)
                        .with("held", until * MS)
                        .with("lostAt", 0)
                        .with("how", "released"));
    }

    private void fault(String kind, String target, String loses, long from, long to) {
        for (String step : List.of("begin", "active", "ending", "over")) {
            boolean first = step.equals("begin") || step.equals("active");
            line(
                    "coordinator",
                    (first ? from : to) * MS,
                    Line.of("fault")
                            .with("id", 0)
                            .with("step", step)
                            .with("kind", kind)
                            .with("target", target)
                            .with("loses", loses));
        }
    }

    private void line(String process, long nanos, Line line) {
        lines.add(line.with("p", process).with("n", nanos).with("t", nanos));
    }

    private Verdict check() throws IOException {
        List<String> all = new ArrayList<>();
        all.add(Line.of("store")
                .with("rig", "hand")
                .with("promises", promises)
                .with("expiry", "LEASE")
                .with("leaseMillis", 1500)
                .with("timeoutMillis", 800)
                .with("afterlifeMillis", 1500)
                .with("t", 0)
                .toString());
        for (String process : List.of("w0", "w1", "coordinator")) {
            all.add(Line.of("clock")
                    .with("p", process)
                    .with("sent", 0)
                    .with("between", MS / 10)
                    .with("n", MS / 10)
                    .with("t", MS / 10)
                    .toString());
        }
        lines.forEach(line -> all.add(line.toString()));
        all.add(Line.of("left")
                .with("what", "")
                .with("p", "coordinator")
                .with("n", 4000 * MS)
                .with("t", 4000 * MS)
                .toString());
        Path file = directory.resolve("history.jsonl");
        Files.write(file, all);
        return Checker.check(file);
    }
}
