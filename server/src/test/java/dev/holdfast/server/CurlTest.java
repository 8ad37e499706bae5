package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recipes for curl in docs/server.md work as they stand, one after the other. */
class CurlTest {
    private static final Path PAGE = Path.of("../docs/server.md");
    private static final int MOST_SECONDS = 60;

    @TempDir
    private Path directory;

    @Test
    void theRecipesOfThePageWork() throws IOException, InterruptedException {
        assumeThatTheyCanRun();
        List<String> recipes = recipes();
        assertThat(recipes).hasSizeGreaterThan(3);
        assertThat(outputOf(recipes))
                .contains("\"token\"", "\"kind\":\"read\"", "\"permits\":1", "account-2", "\"evicted\"");
    }

    @Test
    void theSecondUseOfARecipeIsAnotherAcquisition() throws IOException, InterruptedException {
        assumeThatTheyCanRun();
        String acquire = recipes().get(0);
        String renewAndRelease = recipes().get(1);
        Matcher keys = Pattern.compile("\"idempotencyKey\": \"(.*)\"")
                .matcher(outputOf(List.of(acquire, renewAndRelease, acquire, renewAndRelease)));
        assertThat(keys.results().map(key -> key.group(1))).hasSize(2).doesNotHaveDuplicates();
    }

    private void assumeThatTheyCanRun() throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                run("type -P curl jq", directory.resolve("found")) == 0,
                "there is no curl or no jq on this machine, so the recipes of docs/server.md were not run");
    }

    private static List<String> recipes() throws IOException {
        return Pattern.compile("(?s)```sh\n(.*?)```")
                .matcher(Files.readString(PAGE))
                .results()
                .map(fence -> fence.group(1))
                .filter(script -> script.contains("curl"))
                .toList();
    }

    /** What they print in one shell, one after the other, with a server of their own. */
    private String outputOf(List<String> recipes) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        try (Servers servers = Servers.inMemory()) {
            String script = "set -e\n"
                    + String.join("", recipes)
                            .replace(
                                    "http://localhost:7420",
                                    servers.start().uri().toString());
            int code = run(script, out);
            assertThat(code).as(Files.readString(out)).isZero();
        }
        return Files.readString(out);
    }

    private static int run(String script, Path out) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).as("ends").isTrue();
        return process.exitValue();
    }
}
