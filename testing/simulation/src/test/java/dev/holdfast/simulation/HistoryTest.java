package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The simulator's promises: every seed is one history, and the library keeps its properties in all of them. */
class HistoryTest {

    @Test
    void sameSeedGivesTheSameEventLog() {
        assertThat(LongStream.range(0, 100).map(number -> Campaign.seedOf(11, (int) number)))
                .allSatisfy(seed -> {
                    History.Outcome once = History.run(seed, true);
                    History.Outcome again = History.run(seed, true);
                    assertThat(again.log()).isNotEmpty().isEqualTo(once.log());
                });
    }

    @Test
    void differentSeedsGiveDifferentHistories() {
        assertThat(History.run(1, true).log()).isNotEqualTo(History.run(2, true).log());
    }

    @Test
    void loggingChangesNothing() {
        long seed = Campaign.seedOf(5, 0);

        assertThat(History.run(seed, false).violation())
                .isEqualTo(History.run(seed, true).violation());
    }

    @Test
    void noHistoryViolatesAProperty() throws InterruptedException {
        Campaign.Outcome outcome = Campaign.run(2_000, 42, 2);

        assertThat(outcome.violations()).isEmpty();
    }
}
