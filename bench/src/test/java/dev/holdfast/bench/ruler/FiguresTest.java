package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FiguresTest {
    @Test
    void lapSurvivesThePipe() {
        Lap lap = new Lap(2_000_000_000L, List.of(3L, 5L, 0L), 11, 4, 70, 60, 50);
        assertThat(Lap.parse(lap.line())).isEqualTo(lap);
        assertThat(lap.perSecond()).isEqualTo(4.0);
    }

    @Test
    void outingAddsProcessesUp() {
        Outing outing = Outing.of(List.of(
                new Lap(1_000_000_000L, List.of(10L, 20L), 32, 5, 7_000_000, 6_000_000, 100_000),
                new Lap(2_000_000_000L, List.of(60L, 30L), 92, 10, 9_000_000, 4_000_000, 300_000)));
        assertThat(outing.perSecond()).isEqualTo(75.0);
        assertThat(outing.longestWaitMillis()).isEqualTo(9.0);
        assertThat(outing.longestSwitchMillis()).isEqualTo(6.0);
        assertThat(outing.leastServed()).isEqualTo(10 / 30.0);
        assertThat(outing.switchesPerSecond()).isEqualTo(10.0);
        assertThat(outing.handOverMicros()).isEqualTo(200.0);
    }

    @Test
    void ratioIsTakenRoundByRound() {
        Results results = new Results();
        for (double ours : new double[] {10, 40, 30}) {
            results.add(Maker.HOLDFAST, rate(ours));
        }
        for (double theirs : new double[] {5, 10, 30}) {
            results.add(Maker.REDISSON, rate(theirs));
        }
        assertThat(results.ratio(Maker.HOLDFAST, Maker.REDISSON, Outing::perSecond))
                .contains(new Spread(2, 1, 4));
        assertThat(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 2).isMet(results))
                .isTrue();
        assertThat(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 2.1).isMet(results))
                .isFalse();
    }

    @Test
    void theWorstRoundDecidesWhetherSomebodyStarved() {
        Results results = new Results();
        results.add(Maker.HOLDFAST, new Outing(1, 150, 0, 0.9, 0, 0, 0));
        results.add(Maker.HOLDFAST, new Outing(1, 250, 0, 0.4, 0, 0, 0));
        results.add(Maker.HOLDFAST, new Outing(1, 150, 0, 0.9, 0, 0, 0));
        assertThat(Target.nobodyWaitsLongerThan(Maker.HOLDFAST, 200).isMet(results))
                .isFalse();
        assertThat(Target.leastServedHas(Maker.HOLDFAST, 0.5).isMet(results)).isFalse();
    }

    @Test
    void whatWasNotMeasuredIsNotMet() {
        assertThat(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 0.1).isMet(new Results()))
                .isFalse();
        assertThat(Target.roundTrips(Maker.HOLDFAST, 25).isMet(new Results())).isFalse();
    }

    private static Outing rate(double perSecond) {
        return new Outing(perSecond, 0, 0, 0, 0, 0, 0);
    }
}
