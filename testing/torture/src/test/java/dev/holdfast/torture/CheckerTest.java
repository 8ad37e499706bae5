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
        ask("w1", "b", 120, 900);
        // It returned 0.05 ms before the other one was last seen to hold: within the uncertainty.
        line("w1", 200 * MS - MS / 20, Line.of("ok").with("op", "b").with("tokens", "8192"));
        line("w1", 300 * MS, end("b", 299, 0, 300));
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

    @Test
    void aTokenThatGoesBackIsFoundAlsoWhenTheServerForgotItsLocks() throws IOException {
        fault("server-restarted", "redis", "RESTART", 90, 100);
        hold("w0", "a", 50, 60, 70, 8192);
        hold("w1", "b", 120, 150, 300, 4096);
        assertThat(properties()).contains("P4", "P5");
    }

    @Test
    void whileAnOldServerServesBesideTheNewOneTokensMayGoBack() throws IOException {
        fault("failover", "group", "FAILOVER", 90, 100);
        hold("w0", "a", 50, 60, 70, 8192);
        hold("w1", "b", 120, 150, 300, 4096);
        assertThat(properties()).isEmpty();
    }

    @Test
    void whoCannotTellAtOnceOnAStoreThatAnswersIsWrong() throws IOException {
        ask("w0", "a", 10_000, 0);
        line(
                "w0",
                10_005 * MS,
                Line.of("fail").with("op", "a").with("why", "unknown").with("detail", "no idea"));
        assertThat(properties()).containsExactly("P16");
    }

    @Test
    void whoCannotTellAfterTheCommandTimeoutIsLate() throws IOException {
        ask("w0", "a", 10_000, 0);
        line(
                "w0",
                10_801 * MS,
                Line.of("fail").with("op", "a").with("why", "unknown").with("detail", "no answer"));
        assertThat(properties()).isEmpty();
        assertThat(late()).containsExactly("P16");
    }

    @Test
    void aCallBeyondItsBudgetIsLateUnlessItsProcessStoodStill() throws IOException {
        ask("w0", "a", 10_000, 100);
        line(
                "w0",
                11_300 * MS,
                Line.of("fail").with("op", "a").with("why", "none").with("detail", ""));
        assertThat(late()).contains("P17");
        line("w0", 11_250 * MS, Line.of("stall").with("from", 11_000 * MS).with("nanos", 250 * MS));
        assertThat(late()).isEmpty();
    }

    @Test
    void aFreeLockBesideAWaiterIsLate() throws IOException {
        ask("w0", "a", 10_000, 4_000);
        hold("w1", "b", 10_000, 10_010, 10_100, 4096);
        line("w0", 13_000 * MS, Line.of("ok").with("op", "a").with("tokens", "8192"));
        line("w0", 13_100 * MS, end("a", 13_090, 0, 13_100));
        assertThat(properties()).isEmpty();
        assertThat(late()).containsExactly("P12");
    }

    @Test
    void aLockThatSomebodyHoldsMeanwhileIsNot() throws IOException {
        ask("w0", "a", 10_000, 4_000);
        hold("w1", "b", 10_000, 10_010, 12_500, 4096);
        line("w0", 13_000 * MS, Line.of("ok").with("op", "a").with("tokens", "8192"));
        line("w0", 13_100 * MS, end("a", 13_090, 0, 13_100));
        assertThat(late()).isEmpty();
    }

    @Test
    void whatAKilledProcessMayStillHoldIsNotFree() throws IOException {
        ask("w1", "b", 10_000, 900);
        line("w1", 10_010 * MS, Line.of("ok").with("op", "b").with("tokens", "4096"));
        ask("w0", "a", 10_000, 9_000);
        line("w0", 13_000 * MS, Line.of("ok").with("op", "a").with("tokens", "8192"));
        line("w0", 13_100 * MS, end("a", 13_090, 0, 13_100));
        assertThat(late()).isEmpty();
    }

    @Test
    void aLossThatIsToldLateIsLate() throws IOException {
        ask("w0", "a", 100, 900);
        line("w0", 110 * MS, Line.of("ok").with("op", "a").with("tokens", "4096"));
        line("w0", 3000 * MS, Line.of("told").with("op", "a").with("reason", "EXPIRED"));
        line("w0", 3100 * MS, end("a", 200, 1500, 3100));
        assertThat(properties()).isEmpty();
        assertThat(late()).containsExactly("P10");
    }

    @Test
    void aRunInWhichThePausedHolderLosesNothingProvesNothing() throws IOException {
        fault("paused", "w0", "NOTHING", 120, 300);
        hold("w0", "a", 100, 110, 200, 4096);
        line(
                "w0",
                20 * MS,
                Line.of("write").with("reg", "control").with("control", true).with("lost", true));
        line("coordinator", 30 * MS, Line.of("staged"));
        assertThat(judge().proves()).isFalse();
        line(
                "w0",
                40 * MS,
                Line.of("write").with("reg", "staged").with("staged", true).with("lost", true));
        assertThat(judge().proves()).isTrue();
    }

    private Round judge() throws IOException {
        return Round.judge("hand", directory, check());
    }

    private List<String> late() throws IOException {
        return check().late().stream().map(Verdict.Violation::property).toList();
    }

    private List<String> properties() throws IOException {
        return check().violations().stream()
                .map(Verdict.Violation::property)
                .distinct()
                .toList();
    }

    private void ask(String process, String op, long asked, long waitMillis) {
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
                        .with("wait", waitMillis)
                        .with("client", process + "#1"));
    }

    private void hold(String process, String op, long asked, long got, long until, long token) {
        ask(process, op, asked, 900);
        line(process, got * MS, Line.of("ok").with("op", op).with("tokens", Long.toString(token)));
        line(process, until * MS, end(op, until, 0, until));
    }

    private static Line end(String op, long held, long lost, long from) {
        return Line.of("end")
                .with("op", op)
                .with("from", from * MS)
                .with("held", held * MS)
                .with("lostAt", lost * MS)
                .with("how", "released");
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
                .with("n", 40_000 * MS)
                .with("t", 40_000 * MS)
                .toString());
        Path file = directory.resolve("history.jsonl");
        Files.write(file, all);
        return Checker.check(file);
    }
}
