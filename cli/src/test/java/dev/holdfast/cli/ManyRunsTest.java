package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fifty at once, each reading a number and writing the next. */
@Tag("processes")
class ManyRunsTest {
    private static final int RUNS = 50;

    @Test
    void noneOverwritesAnother(@TempDir Path directory) throws IOException {
        try (Sandbox sandbox = new Sandbox(directory)) {
            Files.writeString(sandbox.path("N"), "0\n");
            List<Launched> runs = Stream.generate(
                            () -> sandbox.holdfast("run", "c", "--", "sh", "-c", "n=$(cat N); echo $((n+1)) > N"))
                    .limit(RUNS)
                    .toList();

            assertThat(runs).allSatisfy(run -> assertThat(run.output()).isEmpty());
            assertThat(sandbox.line("N")).isEqualTo(Integer.toString(RUNS));
        }
    }
}
