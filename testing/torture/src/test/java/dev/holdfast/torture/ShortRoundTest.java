package dev.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Page;
import dev.holdfast.torture.check.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A few seconds of torture: in every build on the two rigs that need the least, in the long suite on the others. A server that
 * cannot run here skips its rig with the reason. What is wrong fails; what is late is printed, because a machine may be busy
 * in ways that nobody measures.
 */
final class ShortRoundTest {
    /** As {@link dev.holdfast.torture.rig.Scenes#ALL} without the two. */
    static final List<String> OTHERS = dev.holdfast.torture.rig.Scenes.ALL.stream()
            .filter(rig -> !rig.equals("file") && !rig.equals("redis"))
            .toList();

    private static final Options SHORT = Options.defaults()
            .withStorm(Duration.ofSeconds(3), Duration.ofMillis(500))
            .withLease(Duration.ofMillis(1200))
            .withOut(Path.of("target", "torture"));

    @ParameterizedTest
    @ValueSource(strings = {"file", "redis"})
    void nothingIsWrongWhereLittleIsNeeded(String rig) throws InterruptedException {
        run(rig);
    }

    @ParameterizedTest
    @FieldSource("OTHERS")
    @Tag("full")
    void nothingIsWrong(String rig) throws InterruptedException {
        run(rig);
    }

    /** Two instances of the server between the workers and the store, which are killed, stopped and paused. */
    @Test
    @Tag("full")
    void nothingIsWrongOverHttp() throws InterruptedException {
        run(SHORT.withMaker("http"), "redis");
    }

    private static void run(String rig) throws InterruptedException {
        run(SHORT, rig);
    }

    private static void run(Options options, String rig) throws InterruptedException {
        Path history = new Torture(options).record(rig);
        Verdict verdict = Checker.check(history);
        Round round = Round.judge(rig, history, verdict);
        round.print(System.out);
        Page.write(history, verdict, Round.summary(List.of(round)));
        assertThat(verdict.violations())
                .as(
                        "again with: testing/torture/run %s --rig %s --seed %d --seconds 3 --gap 500 --lease 1200; history: %s",
                        options.maker().isEmpty() ? "" : "--maker " + options.maker(), rig, SHORT.seed(), history)
                .isEmpty();
        assertThat(round.proves())
                .as("the controls lost updates, locks were granted, faults happened: %s", verdict.counts())
                .isTrue();
        assertThat(verdict.counted("lost_updates_guarded")).isZero();
    }
}
