package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class FiguresTest {
    @Test
    void lapSurvivesThePipe() {
        Lap lap = new Lap(2_000_000_000L, List.of(3L, 5L, 0L), 11, 4, 70, 60, 50);
        assertThat(Lap.parse(lap.line())).isEqualTo(lap);
        assertThat(lap.perSecond()).isEqualTo(4.0);
    }

    @Test
    void outingSurvivesThePipe() {
        Outing outing = new Outing(Map.of(Figure.IN_ORDER, 1.0, Figure.PER_SECOND, 12345.678));
        assertThat(Outing.parse(outing.line())).isEqualTo(outing);
    }

    @Test
    void outingAddsProcessesUp() {
        Outing outing = Outing.of(List.of(
                new Lap(1_000_000_000L, List.of(10L, 20L), 32, 5, 7_000_000, 6_000_000, 100_000),
                new Lap(2_000_000_000L, List.of(60L, 30L), 92, 10, 9_000_000, 4_000_000, 300_000)));
        assertThat(outing.get(Figure.PER_SECOND)).contains(75.0);
        assertThat(outing.get(Figure.GRANTS)).contains(120.0);
        assertThat(outing.get(Figure.LONGEST_WAIT_MILLIS)).contains(9.0);
        assertThat(outing.get(Figure.LONGEST_SWITCH_MILLIS)).contains(6.0);
        assertThat(outing.get(Figure.LEAST_SERVED)).contains(10 / 30.0);
        assertThat(outing.get(Figure.SWITCHES_PER_SECOND)).contains(10.0);
        assertThat(outing.get(Figure.LATENCY_MICROS)).contains(200.0);
    }

    @Test
    void requestsAreSharedOutToAllGrantsOfTheRound() {
        Outing outing = Outing.of(List.of(new Lap(1_000_000_000L, List.of(10L), 40, 0, 0, 0, 0)));
        assertThat(outing.withRequests(80).get(Figure.REQUESTS_PER_GRANT)).contains(2.0);
        Outing none = Outing.of(List.of(new Lap(1_000_000_000L, List.of(0L), 0, 0, 0, 0, 0)));
        assertThat(none.withRequests(80).get(Figure.REQUESTS_PER_GRANT)).isEmpty();
    }

    @Test
    void processWithoutHandOversDoesNotMakeTheOthersLookQuicker() {
        Outing outing = Outing.of(List.of(
                new Lap(1_000_000_000L, List.of(0L), 1, 0, 0, 0, 0),
                new Lap(1_000_000_000L, List.of(1L), 2, 1, 0, 0, 300_000)));
        assertThat(outing.get(Figure.LATENCY_MICROS)).contains(300.0);
    }

    @Test
    void whoGetsNothingInARoundCountsAsIfItHadOneGrant() {
        Outing none = Outing.of(List.of(new Lap(4_000_000_000L, List.of(0L, 0L), 2, 0, 0, 0, 0)));
        assertThat(none.get(Figure.GRANTS)).contains(0.0);
        assertThat(none.get(Figure.PER_SECOND)).contains(0.25);
        assertThat(none.get(Figure.LEAST_SERVED)).contains(0.0);
        Results results = new Results();
        results.add(Maker.HOLDFAST, rate(50));
        results.add(Maker.SPRING_JDBC, none);
        assertThat(results.ratio(Maker.HOLDFAST, Maker.SPRING_JDBC, Figure.PER_SECOND))
                .contains(new Spread(200, 200, 200));
        assertThat(new Lines(results, Maker.HOLDFAST).rate(Maker.SPRING_JDBC)).contains("one was assumed");
        assertThat(new Lines(results, Maker.HOLDFAST).rate(Maker.HOLDFAST)).doesNotContain("assumed");
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
        assertThat(results.ratio(Maker.HOLDFAST, Maker.REDISSON, Figure.PER_SECOND))
                .contains(new Spread(2, 1, 4));
        assertThat(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 2).isMet(results))
                .isTrue();
        assertThat(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 2.1).isMet(results))
                .isFalse();
    }

    @Test
    void whatAPairCostsMoreIsADifferenceOfTimes() {
        Results results = new Results();
        results.add(Maker.HOLDFAST_LOCKED, rate(200_000));
        results.add(Maker.HOLDFAST, rate(1_000_000));
        assertThat(results.microsMore(Maker.HOLDFAST_LOCKED, Maker.HOLDFAST)).contains(new Spread(4, 4, 4));
        assertThat(Target.addsAtMost(Maker.HOLDFAST_LOCKED, Maker.HOLDFAST, 5).isMet(results))
                .isTrue();
        assertThat(Target.addsAtMost(Maker.HOLDFAST_LOCKED, Maker.HOLDFAST, 3.9).isMet(results))
                .isFalse();
    }

    @Test
    void medianOfTwoIsBetweenThem() {
        assertThat(Spread.of(List.of(4.0, 1.0))).contains(new Spread(2.5, 1, 4));
        assertThat(Spread.of(List.of())).isEmpty();
    }

    @Test
    void theWorstRoundDecidesWhetherSomebodyStarved() {
        Results results = new Results();
        for (double wait : new double[] {150, 250, 150}) {
            results.add(
                    Maker.HOLDFAST,
                    new Outing(Map.of(Figure.LONGEST_WAIT_MILLIS, wait, Figure.LEAST_SERVED, 100 / wait)));
        }
        assertThat(Target.atMost(Maker.HOLDFAST, Figure.LONGEST_WAIT_MILLIS, 200, "ms")
                        .isMet(results))
                .isFalse();
        assertThat(Target.atLeast(Maker.HOLDFAST, Figure.LEAST_SERVED, 0.5, "share")
                        .isMet(results))
                .isFalse();
    }

    @Test
    void waitersMayAskAsOftenAsFewDoButNotMore() {
        Target target = Target.manyWaitersAskNoMoreThanFew(Maker.HOLDFAST);
        Results same = new Results();
        same.add(Maker.HOLDFAST, new Outing(Map.of(Figure.REQUESTS_OF_FEW, 20.0, Figure.REQUESTS_OF_MANY, 20.4)));
        assertThat(target.isMet(same)).isTrue();
        Results more = new Results();
        more.add(Maker.HOLDFAST, new Outing(Map.of(Figure.REQUESTS_OF_FEW, 0.0, Figure.REQUESTS_OF_MANY, 5.0)));
        assertThat(target.isMet(more)).isFalse();
    }

    @Test
    void whatWasNotMeasuredIsNotMet() {
        assertThat(Target.fasterThan(Maker.HOLDFAST, Maker.REDISSON, 0.1).isMet(new Results()))
                .isFalse();
        assertThat(Target.atMost(Maker.HOLDFAST, Figure.ROUND_TRIPS, 25, "round trips")
                        .isMet(new Results()))
                .isFalse();
        assertThat(Target.quickerThan(Maker.HOLDFAST, Maker.SPRING_JDBC, 0.1).isMet(new Results()))
                .isFalse();
    }

    @Test
    void everyTargetOfEveryStoreIsAboutMakersOfItsScenario() {
        for (Store store : Store.all()) {
            assertThat(store.scenarios()).extracting(Scenario::name).doesNotHaveDuplicates();
            for (Scenario scenario : store.scenarios()) {
                Results results = new Results();
                Outing everything = new Outing(
                        Arrays.stream(Figure.values()).collect(Collectors.toMap(figure -> figure, figure -> 1.0)));
                scenario.makers().forEach(maker -> results.add(maker, everything));
                assertThat(scenario.targets())
                        .as(store.word() + " " + scenario.name())
                        .allSatisfy(target ->
                                assertThat(target.figure().apply(results)).isPresent());
            }
        }
    }

    @Test
    void unknownStoresAndScenariosAreRefusedWithTheNamesThatThereAre() {
        assertThatThrownBy(() -> Benchmark.of(Request.of("oracle")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("memory, redis, redlock, postgres, mariadb, zookeeper, etcd and all");
        assertThatThrownBy(() -> Benchmark.of(Request.of("mariadb").withScenario("advisory")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("solo, spread");
    }

    @Test
    void allStoresTogetherHaveFewerAndShorterRoundsToWarmUp() {
        Duration three = Duration.ofSeconds(3);
        assertThat(Request.of("redis").withTime(three).warmUp(true)).isEqualTo(three);
        assertThat(Request.of(Request.ALL).withTime(three).warmUp(true)).isLessThan(three);
        assertThat(Request.of(Request.ALL).rounds())
                .isLessThan(Request.of("redis").rounds());
    }

    @Test
    void scenariosGoByTheFirstPartOfTheirNames() {
        Scenario hot = Scenarios.hot(2, 100, Maker.HOLDFAST);
        assertThat(hot.isCalled("hot")).isTrue();
        assertThat(hot.isCalled("hot-2x100")).isTrue();
        assertThat(hot.isCalled("hot-2x1")).isFalse();
    }

    @Test
    void surveyOfThreeSecondsFitsAndWhatTakesTooLongGetsFewerRounds() {
        List<Scenario> all = Store.surveyed().stream()
                .flatMap(store -> store.scenarios().stream())
                .toList();
        Request survey = Request.of(Request.ALL);
        assertThat(new Budget(survey.withTime(Duration.ofSeconds(3)), all).begin(all.get(0), Duration.ZERO))
                .isEqualTo(survey.rounds());
        assertThat(new Budget(survey, all).begin(all.get(0), Duration.ofMinutes(14)))
                .isEqualTo(1);
        assertThat(new Budget(survey.withTime(Duration.ofMinutes(1)), all).begin(all.get(0), Duration.ZERO))
                .isEqualTo(1);
    }

    @Test
    void roundsThatTheUserChoseAreKept() {
        List<Scenario> all = Store.all().get(0).scenarios();
        Request request = Request.of(Request.ALL).withRounds(7);
        assertThat(new Budget(request, all).begin(all.get(0), Duration.ofHours(1)))
                .isEqualTo(7);
    }

    private static Outing rate(double perSecond) {
        return new Outing(Map.of(Figure.PER_SECOND, perSecond));
    }
}
