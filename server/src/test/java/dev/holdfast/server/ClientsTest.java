package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients in other languages: their own tests, all at once, against a server that asks for a token. */
class ClientsTest {
    private static final Path CLIENTS =
            Path.of("..", "clients").toAbsolutePath().normalize();
    private static final long MINUTES = 5;
    private static final Map<String, List<String>> TESTS = Map.of(
            "python", List.of("python3", "-B", "-m", "unittest", "test_holdfast"),
            "javascript", List.of("node", "--test", "holdfast.test.mjs"),
            "go", List.of("go", "test", "-count=1", "."));

    @TempDir
    static Path directory;

    private static final Map<String, Process> RUNNING = new HashMap<>();
    private static Servers servers;

    @BeforeAll
    static void start() throws IOException {
        NewToken token = NewToken.make("clients", "look,lock,evict", "*");
        Path access = Files.writeString(directory.resolve("access"), token.line());
        servers = Servers.inMemory();
        HoldfastServer server = servers.start(options -> options.withAccess(access));
        for (Map.Entry<String, List<String>> each : TESTS.entrySet()) {
            if (isOnPath(each.getValue().get(0))) {
                ProcessBuilder builder = new ProcessBuilder(each.getValue())
                        .directory(CLIENTS.resolve(each.getKey()).toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(outputOf(each.getKey()).toFile());
                builder.environment()
                        .putAll(Map.of(
                                "HOLDFAST_URL",
                                server.uri().toString(),
                                "HOLDFAST_TOKEN",
                                token.token(),
                                "GOPROXY",
                                "off"));
                RUNNING.put(each.getKey(), builder.start());
            }
        }
    }

    @AfterAll
    static void stop() {
        RUNNING.values().forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
        RUNNING.clear();
        if (servers != null) {
            servers.close();
        }
    }

    @Test
    void python() throws IOException, InterruptedException {
        assertPasses("python");
    }

    @Test
    void javascript() throws IOException, InterruptedException {
        assertPasses("javascript");
    }

    @Test
    void go() throws IOException, InterruptedException {
        assertPasses("go");
    }

    private static void assertPasses(String language) throws IOException, InterruptedException {
        Process tests = RUNNING.get(language);
        assumeTrue(
                tests != null,
                "there is no " + TESTS.get(language).get(0) + " on the path, so clients/" + language
                        + " is not tested");
        boolean ended = tests.waitFor(MINUTES, TimeUnit.MINUTES);
        String said = Files.readString(outputOf(language));
        assertThat(ended)
                .as("ended within %d minutes; it said:%n%s", MINUTES, said)
                .isTrue();
        assertThat(tests.exitValue()).as("what it said:%n%s", said).isZero();
    }

    private static Path outputOf(String language) {
        return directory.resolve(language + ".out");
    }

    private static boolean isOnPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }
}
