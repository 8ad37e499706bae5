package dev.holdfast.simulation.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Mutants are made, caught, and noticed when they no longer fit the sources. */
class HuntTest {
    private static final long[] ONE_SEED = {1};

    @Test
    void mutantIsCaught() {
        assertThat(Hunt.here().run(Mutants.named("cached-is-held"), ONE_SEED))
                .singleElement()
                .satisfies(trial -> {
                    assertThat(trial.caught()).isTrue();
                    assertThat(trial.violation()).startsWith("P1");
                });
    }

    @Test
    void everyMutantFitsTheSources() {
        Workshop workshop = Workshop.here();

        assertThat(Mutants.ALL)
                .hasSize(27)
                .allSatisfy(mutant -> assertThat(workshop.make(mutant)).isNotEmpty());
    }

    @Test
    void patchThatFindsNothingIsReportedAsStale() {
        Mutant stale = Mutant.of("stale", Patch.table("no such text", "anything"));

        assertThat(Hunt.here().run(stale, ONE_SEED)).singleElement().satisfies(trial -> {
            assertThat(trial.caught()).isFalse();
            assertThat(trial.after()).isEqualTo("STALE");
        });
    }

    @Test
    void patchThatFindsItsTextTwiceIsReportedAsStale() {
        Mutant ambiguous = Mutant.of("ambiguous", Patch.table("return", "anything"));

        assertThat(Hunt.here().run(ambiguous, ONE_SEED))
                .singleElement()
                .satisfies(trial -> assertThat(trial.after()).isEqualTo("STALE"));
    }

    @Test
    void unknownMutantIsRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mutants.named("nobody"))
                .withMessageContaining("cached-is-held");
    }
}
