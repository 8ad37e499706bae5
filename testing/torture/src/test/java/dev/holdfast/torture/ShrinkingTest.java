package dev.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.Schedule;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schedules are drawn from their seed alone, and a failing one is shrunk to the faults that it needs. */
final class ShrinkingTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @Test
    void onlyTheNeededFaultsAreLeft() throws InterruptedException {
        Verdict failed = verdict("P1", 9);
        List<Integer> needed = shrinking(failed, List.of(2, 7)).run();
        assertThat(needed).containsExactly(2, 7);
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("--faults 2,7")
                .contains("--seed 5");
    }

    @Test
    void aFindingThatNeedsNoFaultIsToldSo() throws InterruptedException {
        assertThat(shrinking(verdict("P1", 4), List.of()).run()).isEmpty();
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("--faults none");
    }

    @Test
    void theSameSeedDrawsTheSameSchedule() {
        List<FaultKind> kinds = List.of(kind("a"), kind("b"), kind("c"));
        List<Schedule.Planned> first = draw(3, kinds);
        assertThat(draw(3, kinds)).isEqualTo(first);
        assertThat(draw(4, kinds)).isNotEqualTo(first);
        assertThat(Schedule.keep(first, List.of(1))).containsExactly(first.get(1));
        assertThat(Schedule.keep(first, null)).isEqualTo(first);
    }

    private static List<Schedule.Planned> draw(long seed, List<FaultKind> kinds) {
        return Schedule.draw(seed, kinds, Duration.ofSeconds(20), Duration.ofMillis(500));
    }

    private static FaultKind kind(String word) {
        Duration brief = Duration.ofMillis(100);
        return new FaultKind(
                word, word, word, 1, brief, brief.multipliedBy(9), FaultKind.Loses.NOTHING, () -> {}, () -> {});
    }

    /** Fails with a property as long as all of some faults happen. */
    private Shrinking shrinking(Verdict failed, List<Integer> cause) {
        Options options = Options.defaults().withSeed(5);
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        return new Shrinking(options, "redis", failed, out, one -> {
            boolean all = one.faults() == null || one.faults().containsAll(cause);
            return all ? failed : new Verdict();
        });
    }

    private static Verdict verdict(String property, int faults) {
        Verdict verdict = new Verdict();
        verdict.violated(property, 0, "seeded");
        verdict.count("faults", faults);
        return verdict;
    }
}
