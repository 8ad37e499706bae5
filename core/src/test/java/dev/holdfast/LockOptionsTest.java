package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Options are values: every change makes a copy that differs in one thing. */
class LockOptionsTest {
    private static final LockOptions DEFAULTS = LockOptions.defaults();

    /** All changed at once, so that a copy that drops one is noticed. */
    private static final LockOptions CHANGED = DEFAULTS.withLeaseTime(Duration.ofSeconds(7))
            .withMaxHold(Duration.ofSeconds(8))
            .withStickyFor(Duration.ofSeconds(9))
            .withTurn(Duration.ofMillis(10))
            .withInterruptOnLoss(true)
            .withLabel("nightly");

    @Test
    void defaultsAreWhatIsDocumented() {
        assertThat(DEFAULTS.leaseTime()).isEqualTo(Duration.ofSeconds(30));
        assertThat(DEFAULTS.maxHold()).isEmpty();
        assertThat(DEFAULTS.stickyFor()).isZero();
        assertThat(DEFAULTS.turn()).isEmpty();
        assertThat(DEFAULTS.interruptOnLoss()).isFalse();
        assertThat(DEFAULTS.label()).isEmpty();
    }

    @Test
    void everyChangeIsKeptByThoseAfterIt() {
        assertThat(CHANGED.leaseTime()).isEqualTo(Duration.ofSeconds(7));
        assertThat(CHANGED.maxHold()).contains(Duration.ofSeconds(8));
        assertThat(CHANGED.stickyFor()).isEqualTo(Duration.ofSeconds(9));
        assertThat(CHANGED.turn()).contains(Duration.ofMillis(10));
        assertThat(CHANGED.interruptOnLoss()).isTrue();
        assertThat(CHANGED.label()).isEqualTo("nightly");
        assertThat(DEFAULTS).isEqualTo(LockOptions.defaults());
    }

    @Test
    void everyChangeCanBeTakenBack() {
        assertThat(CHANGED.withoutMaxHold().maxHold()).isEmpty();
        assertThat(CHANGED.withAutomaticTurn().turn()).isEmpty();
        assertThat(CHANGED.withoutMaxHold().withMaxHold(Duration.ofSeconds(8))).isEqualTo(CHANGED);
        assertThat(CHANGED.withAutomaticTurn().withTurn(Duration.ofMillis(10))).isEqualTo(CHANGED);
        assertThat(CHANGED.withLeaseTime(Duration.ofSeconds(30))
                        .withoutMaxHold()
                        .withStickyFor(Duration.ZERO)
                        .withAutomaticTurn()
                        .withInterruptOnLoss(false)
                        .withLabel(""))
                .isEqualTo(DEFAULTS)
                .hasSameHashCodeAs(DEFAULTS);
    }

    @Test
    void optionsAreEqualIfAllOfThemAre() {
        List<LockOptions> different = new ArrayList<>(List.of(
                DEFAULTS,
                CHANGED,
                CHANGED.withLeaseTime(Duration.ofSeconds(1)),
                CHANGED.withMaxHold(Duration.ofSeconds(1)),
                CHANGED.withoutMaxHold(),
                CHANGED.withStickyFor(Duration.ofSeconds(1)),
                CHANGED.withTurn(Duration.ZERO),
                CHANGED.withAutomaticTurn(),
                CHANGED.withInterruptOnLoss(false),
                CHANGED.withLabel("weekly")));

        assertThat(different).doesNotHaveDuplicates();
        assertThat(different.stream().map(LockOptions::toString).toList()).doesNotHaveDuplicates();
        assertThat(CHANGED.withLabel("nightly")).isEqualTo(CHANGED).hasSameHashCodeAs(CHANGED);
        assertThat(CHANGED.equals("nightly")).isFalse();
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        Duration tooLong = LockOptions.LONGEST.plusNanos(1);
        refused("leaseTime", () -> DEFAULTS.withLeaseTime(LockOptions.SHORTEST_LEASE.minusNanos(1)));
        refused("leaseTime", () -> DEFAULTS.withLeaseTime(tooLong));
        refused("maxHold", () -> DEFAULTS.withMaxHold(Duration.ZERO));
        refused("maxHold", () -> DEFAULTS.withMaxHold(tooLong));
        refused("stickyFor", () -> DEFAULTS.withStickyFor(Duration.ofNanos(-1)));
        refused("stickyFor", () -> DEFAULTS.withStickyFor(tooLong));
        refused("turn", () -> DEFAULTS.withTurn(Duration.ofNanos(-1)));
        refused("turn", () -> DEFAULTS.withTurn(tooLong));
        refused("label", () -> DEFAULTS.withLabel("x".repeat(LockOptions.LONGEST_LABEL + 1)));
        refused("label", () -> DEFAULTS.withLabel("line\nbreak"));

        assertThat(DEFAULTS.withLabel("x".repeat(LockOptions.LONGEST_LABEL)).label())
                .hasSize(LockOptions.LONGEST_LABEL);
        assertThat(DEFAULTS.withLeaseTime(LockOptions.SHORTEST_LEASE).leaseTime())
                .isEqualTo(LockOptions.SHORTEST_LEASE);
        assertThat(DEFAULTS.withMaxHold(LockOptions.LONGEST).maxHold()).contains(LockOptions.LONGEST);
    }

    private static void refused(String option, ThrowingCallable change) {
        assertThatThrownBy(change).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(option);
    }
}
