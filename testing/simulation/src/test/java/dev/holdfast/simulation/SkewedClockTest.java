package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The reckoning between clocks, on which every check of a deadline stands. */
class SkewedClockTest {

    @Test
    void tellsTheFirstMomentAtWhichItShowsAReading() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 10_000; i++) {
            SkewedClock clock =
                    new SkewedClock(new World(false), random.nextLong(1 << 30), random.nextInt(-5_000, 5_001));
            long reading = clock.read(0) + 1 + random.nextLong(100_000_000_000L);

            long moment = clock.whenShows(reading);

            assertThat(clock.read(moment)).isGreaterThanOrEqualTo(reading);
            assertThat(clock.read(moment - 1)).isLessThan(reading);
        }
    }
}
