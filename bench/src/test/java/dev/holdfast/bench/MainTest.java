package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.ruler.Request;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MainTest {
    @TempDir
    Path directory;

    @Test
    void optionsMayStandInAnyOrder() {
        Path file = directory.resolve("results.json");
        Request request = Main.parse(new String[] {
            "--seconds",
            "0.5",
            "--scenario",
            "solo",
            "--json",
            file.toString(),
            "--report",
            "here",
            "--rounds",
            "7",
            "--store",
            "all"
        });
        assertThat(request)
                .isEqualTo(Request.of("all")
                        .withTime(Duration.ofMillis(500))
                        .withScenario("solo")
                        .withJson(file)
                        .withReport(Path.of("here"))
                        .withRounds(7));
    }

    @Test
    void memoryIsTheDefault() {
        assertThat(Main.parse(new String[0])).isEqualTo(Request.of("memory"));
    }

    @ParameterizedTest
    @CsvSource({
        "--rounds 0,      rounds must be a whole number",
        "--rounds 1.5,    rounds must be a whole number",
        "--seconds 0.05,  at least 0.1 seconds",
        "--seconds soon,  is not a number",
        "--seconds,       --seconds needs a value",
        "--json /no/such/directory/x, cannot be written",
        "--millis 5,      there is no option --millis"
    })
    void wrongArgumentsGetOneSentence(String arguments, String message) {
        assertThatThrownBy(() -> Main.parse(arguments.split(" ", -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
