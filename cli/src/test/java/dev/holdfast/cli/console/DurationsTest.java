package dev.holdfast.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "0s, PT0S",
        "10s, PT10S",
        "2m, PT2M",
        "1h, PT1H",
        "7d, PT168H",
        "9999999999d, P9999999999D"
    })
    void readsANumberWithAUnit(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10", "s", "-1s", "+1s", "1.5s", "1 s", "1S", "1min", "1m30s", "12345678901s", "１s", "10s\n"
            })
    void refusesEverythingElseWithExamples(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a duration")
                .hasMessageContaining("10s");
    }

    @Test
    void namesTheBadValueWithoutItsControlCharacters() {
        assertThatThrownBy(() -> Durations.parse("1\u001b[31ms"))
                .hasMessageStartingWith("'1\\u001B[31ms' is not a duration");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "59, 59s",
        "60, 1m00s",
        "3599, 59m59s",
        "3600, 1h00m",
        "86399, 23h59m",
        "86400, 1d00h",
        "8640000, 100d"
    })
    void agesTakeAtMostSixColumns(long seconds, String expected) {
        assertThat(Durations.age(Duration.ofSeconds(seconds)))
                .isEqualTo(expected)
                .hasSizeLessThanOrEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"500ms", "10s", "90s"})
    void writesWhatItReads(String text) {
        assertThat(Durations.exact(Durations.parse(text))).isEqualTo(text);
    }
}
