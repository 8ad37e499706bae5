package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whom it is worth waiting for while others wait. */
class ReturnGapTest {
    private static final long HAND_OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    private final HandOverCost cost = new HandOverCost();
    private final ReturnGap gap = new ReturnGap();
    private long now = 1;

    @Test
    void nobodyIsWaitedForWhoHasNeverComeBack() {
        gap.gaveUp(now);
        assertThat(gap.worthWaitingNanos(cost)).isZero();
    }

    @Test
    void whoComesBackQuicklyIsWaitedForTwiceAsLong() {
        comesBackAfter(10_000, 1);
        assertThat(gap.worthWaitingNanos(cost)).isEqualTo(20_000);
    }

    /** A waiter that began before the release and came to the gate after it has no gap; a negative one would last. */
    @Test
    void whoAskedBeforeTheLockWasGivenUpIsNotWaitedForUntilAMomentThatHasPassed() {
        long left = TimeUnit.SECONDS.toNanos(1);
        gap.gaveUp(left);
        gap.returned(left - TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(gap.worthWaitingNanos(cost)).isZero();
    }

    @Test
    void whatIsQuickDependsOnTheStore() {
        comesBackAfter(HAND_OVER_NANOS / 4, 20);
        assertThat(gap.worthWaitingNanos(cost)).isZero();
        for (int i = 0; i < 100; i++) {
            cost.measured(HAND_OVER_NANOS / 3);
        }
        assertThat(gap.worthWaitingNanos(cost)).isPositive();
    }

    @Test
    void oneLongAbsenceEndsTheWaitingUntilItHasBeenMadeUpFor() {
        comesBackAfter(10_000, 50);
        comesBackAfter(TimeUnit.SECONDS.toNanos(60), 1);
        assertThat(gap.worthWaitingNanos(cost)).isZero();
        comesBackAfter(10_000, 4);
        assertThat(gap.worthWaitingNanos(cost)).isZero();
        comesBackAfter(10_000, 16);
        assertThat(gap.worthWaitingNanos(cost)).isPositive();
    }

    /** Who asked while the lock was still out, and comes in late, has not come back before it left. */
    @Test
    void whoAskedBeforeTheLockWasGivenUpCountsAsComingAtOnce() {
        gap.gaveUp(TimeUnit.SECONDS.toNanos(10));
        gap.returned(1);
        assertThat(gap.worthWaitingNanos(cost)).isZero();
        comesBackAfter(10_000, 1);
        assertThat(gap.worthWaitingNanos(cost)).isPositive();
    }

    /** P12: on a store that is polled, a hand-over may cost a second; whoever comes once an hour is still not quick. */
    @Test
    void whoComesOnceAnHourIsNeverWaitedFor() {
        cost.pollsEvery(TimeUnit.SECONDS.toNanos(2));
        comesBackAfter(TimeUnit.HOURS.toNanos(1), 20);
        assertThat(gap.worthWaitingNanos(cost)).isZero();
    }

    @Test
    void aTurnIsAMultipleOfWhatAHandOverCostsWithinBounds() {
        assertThat(cost.turnNanos()).isEqualTo(TimeUnit.MICROSECONDS.toNanos(2_400));
        for (int i = 0; i < 100; i++) {
            cost.measured(1_000);
        }
        assertThat(cost.turnNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(2));
        for (int i = 0; i < 100; i++) {
            cost.measured(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(cost.turnNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    private void comesBackAfter(long gapNanos, int times) {
        for (int i = 0; i < times; i++) {
            gap.gaveUp(now);
            now += gapNanos;
            gap.returned(now);
        }
    }
}
