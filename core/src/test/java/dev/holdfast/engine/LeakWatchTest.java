package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeakWatchTest {
    private static final int MORE_THAN_A_BURST = 1_000;

    private final LeakWatch watch = new LeakWatch();

    @Test
    void stacksAreLookedAtUntilThereWereManyAndAgainAfterALeakOfAnUnknownPlace() {
        long now = Duration.ofHours(1).toNanos();
        assertThat(watch.callStack(now)).as("before anybody looks for leaks").isNull();
        watch.keepStacks();
        assertThat(looksBeforeTheFirstIsLeftOut(now)).isBetween(100, MORE_THAN_A_BURST - 1);
        assertThat(watch.callStack(now)).isNull();

        assertThat(watch.callStack(now + Duration.ofSeconds(1).toNanos()))
                .as("some are looked at all the time")
                .isNotNull();

        assertThat(looksBeforeTheFirstIsLeftOut(now)).isZero();
        watch.lookClosely();
        assertThat(looksBeforeTheFirstIsLeftOut(now)).isBetween(100, MORE_THAN_A_BURST - 1);
    }

    private int looksBeforeTheFirstIsLeftOut(long now) {
        int looks = 0;
        while (looks < MORE_THAN_A_BURST && watch.callStack(now) != null) {
            looks++;
        }
        return looks;
    }
}
