package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PausesTest {
    @Test
    void pausesGrowUpToALimit() {
        assertThat(Pauses.longestAfter(1)).isPositive();
        for (int attempt = 1; attempt < 1_000; attempt++) {
            assertThat(Pauses.longestAfter(attempt + 1)).isGreaterThanOrEqualTo(Pauses.longestAfter(attempt));
        }
        assertThat(Pauses.longestAfter(3)).isEqualTo(Pauses.longestAfter(1).multipliedBy(4));
        assertThat(Pauses.longestAfter(1_000)).isEqualTo(Duration.ofMillis(250));
    }
}
