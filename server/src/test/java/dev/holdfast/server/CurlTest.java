package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Assumptions.assumeTrue(
                run("type -P curl jq", directory.resolve("found")) == 0,
                "there is no curl or no jq on this machine, so the recipes of docs/server.md were not run");
        StringBuilder script = new StringBuilder("set -e\n");
        Matcher fences = Pattern.compile("(?s)```sh\n(.*?)```").matcher(Files.readString(PAGE));
        int recipes = 0;
        while (fences.find()) {
            if (fences.group(1).contains("curl")) {
                script.append(fences.group(1));
                recipes++;
            }
        }
        assertThat(recipes).isGreaterThan(3);
        try (Servers servers = Servers.inMemory()) {
            String text = script.toString()
                    .replace("http://localhost:7420", servers.start().uri().toString());
            Path out = directory.resolve("out");
            int code = run(text, out);
            assertThat(code).as(Files.readString(out)).isZero();
            assertThat(out)
                    .content()
                    .contains("\"token\"", "\"kind\":\"read\"", "\"permits\":1", "account-2", "\"evicted\"");
        }
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
