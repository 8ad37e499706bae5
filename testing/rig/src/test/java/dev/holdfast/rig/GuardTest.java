package dev.holdfast.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.redis.RedisNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GuardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void nothingRunsAfterClose() throws InterruptedException {
        RedisNode running = RedisNode.start(rig);
        RedisNode paused = RedisNode.start(rig);
        paused.pause();
        Path directory = rig.directory();
        long first = running.server().pid();
        long second = paused.server().pid();
        rig.close();
        assertThat(isAlive(first)).isFalse();
        assertThat(isAlive(second)).isFalse();
        assertThat(directory).doesNotExist();
    }

    @Test
    void nothingRunsAfterTheOwnerWasKilled() throws InterruptedException, IOException {
        assertNothingOutlivesAnOwner("killed");
    }

    @Test
    void nothingRunsAfterTheOwnerHasLeftWithoutClosing() throws InterruptedException, IOException {
        assertNothingOutlivesAnOwner("leaving");
    }

    /** A closed terminal, Ctrl-C and the end of a job: Redis ignores the first, and what is paused ignores all. */
    @ParameterizedTest
    @ValueSource(strings = {"HUP", "INT", "TERM"})
    void nothingRunsAfterASignalToAllAndTheEndOfTheOwner(String signal) throws InterruptedException, IOException {
        assertNothingOutlivesAnOwner(signal);
    }

    @Test
    void logsAreKeptAfterAFailure() throws InterruptedException, IOException {
        RedisNode redis = RedisNode.start(rig);
        Path directory = rig.directory();
        rig.keepLogs();
        assertThat(redis.server().logTail()).contains("Ready to accept connections");
        rig.close();
        assertThat(Files.exists(directory)).isTrue();
        Directories.delete(directory);
    }

    /** Starts a JVM that owns two servers, one of them paused, and ends it. */
    private static void assertNothingOutlivesAnOwner(String manner) throws InterruptedException, IOException {
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        manner)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = owner.inputReader(StandardCharsets.UTF_8);
        long first = Long.parseLong(output.readLine());
        long second = Long.parseLong(output.readLine());
        assertThat(isAlive(first)).isTrue();
        assertThat(isAlive(second)).isTrue();
        if (manner.equals("leaving")) {
            owner.outputWriter(StandardCharsets.UTF_8).close();
        } else {
            if (!manner.equals("killed")) {
                signalAll(manner, owner.descendants());
            }
            owner.destroyForcibly();
        }
        assertThat(owner.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(PATIENCE).until(() -> !isAlive(first) && !isAlive(second));
    }

    private static void signalAll(String signal, Stream<ProcessHandle> processes)
            throws InterruptedException, IOException {
        String pids = processes.map(process -> Long.toString(process.pid())).collect(Collectors.joining(" "));
        new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pids).start().waitFor();
    }

    private static boolean isAlive(long pid) {
        Optional<ProcessHandle> handle = ProcessHandle.of(pid);
        return handle.isPresent() && handle.get().isAlive();
    }

    /** The main class of a JVM that owns servers and does not close them. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws InterruptedException, IOException {
            Rig rig = new Rig();
            RedisNode running = RedisNode.start(rig);
            RedisNode paused = RedisNode.start(rig);
            paused.pause();
            System.out.println(running.server().pid());
            System.out.println(paused.server().pid());
            System.out.flush();
            // Ends with the pipe; a killed owner never comes so far.
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            System.exit(arguments[0].equals("leaving") ? 0 : 1);
        }
    }
}
