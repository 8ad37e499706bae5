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

/** Many at once, each reading a number and writing the next. */
@Tag("processes")
class ManyRunsTest {
    @TempDir
    private Path directory;

    @Test
    void noneOfADozenOverwritesAnother() throws IOException {
        count(12);
    }

    @Tag("full")
    @Test
    void noneOfFiftyOverwritesAnother() throws IOException {
        count(50);
    }

    private void count(int runs) throws IOException {
        try (Sandbox sandbox = new Sandbox(directory)) {
            Files.writeString(sandbox.path("N"), "0\n");
            List<Launched> started = Stream.generate(
                            () -> sandbox.holdfast("run", "c", "--", "sh", "-c", "n=$(cat N); echo $((n+1)) > N"))
                    .limit(runs)
                    .toList();

            assertThat(started).allSatisfy(run -> assertThat(run.output()).isEmpty());
            assertThat(sandbox.line("N")).isEqualTo(Integer.toString(runs));
        }
    }
}
