package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes contend while others of them are killed and stopped at any moment. */
final class KillTest {
    private static final int PROCESSES = 4;
    private static final int ATTACKS = 24;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONGEST_STOP = Duration.ofMillis(300);
    private static final Duration POLL = Duration.ofMillis(5);

    @TempDir
    Path temporary;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void neverTwoAtOnceAndTokensInOrderAndAlwaysProgress() throws IOException, InterruptedException {
        assumeTrue(Files.exists(Path.of("/proc/self/stat")), "needs /proc to tell the dead from the living");
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path arena = Files.createDirectory(temporary.resolve("arena"));
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(contestant(arena, random.nextLong()));
        }
        for (int attack = 0; attack < ATTACKS; attack++) {
            awaitProgress(arena, 1 + random.nextInt(40));
            int victim = random.nextInt(PROCESSES);
            if (random.nextInt(3) == 0) {
                stopForAWhile(processes.get(victim), random);
            } else {
                processes.get(victim).destroyForcibly().waitFor();
                processes.set(victim, contestant(arena, random.nextLong()));
            }
        }
        awaitProgress(arena, 200);
        Files.createFile(arena.resolve("stop"));
        for (Process process : processes) {
            assertThat(process.waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS))
                    .as("process %d comes to its end", process.pid())
                    .isTrue();
            assertThat(process.exitValue())
                    .as(() -> "exit status; it said: " + output(arena))
                    .isZero();
        }

        assertThat(arena.resolve("overlaps")).as("seed %d", seed).doesNotExist();
        for (String name : List.of("a", "b")) {
            List<Long> tokens = Files.readAllLines(arena.resolve("tokens-" + name)).stream()
                    .map(Long::valueOf)
                    .toList();
            assertThat(tokens).as("tokens of %s, seed %d", name, seed).doesNotHaveDuplicates();
            assertThat(tokens).as("tokens of %s, seed %d", name, seed).isSorted();
        }
    }

    private Process contestant(Path arena, long seed) throws IOException {
        List<String> command = HolderProcess.java(List.of(), Contestant.class);
        command.addAll(List.of(temporary.resolve("store").toString(), arena.toString(), Long.toString(seed)));
        File output = arena.resolve("output").toFile();
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output))
                .start();
    }

    /** A stopped holder may keep all others from going on, but not for longer than it is stopped. */
    private static void stopForAWhile(Process process, Random random) throws InterruptedException {
        Signals.send("STOP", process.pid());
        boolean ended = process.waitFor(random.nextInt((int) LONGEST_STOP.toNanos()), TimeUnit.NANOSECONDS);
        assertThat(ended).as("a stopped process does not end").isFalse();
        Signals.send("CONT", process.pid());
    }

    private static void awaitProgress(Path arena, int grants) throws IOException {
        long before = grantsIn(arena);
        Awaitility.await("progress; the processes said: " + output(arena))
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .until(() -> grantsIn(arena) >= before + grants);
    }

    private static long grantsIn(Path arena) throws IOException {
        long bytes = 0;
        for (String name : List.of("a", "b")) {
            Path tokens = arena.resolve("tokens-" + name);
            bytes += Files.exists(tokens) ? Files.size(tokens) : 0;
        }
        return bytes / Long.toString(1L << 57).length();
    }

    private static String output(Path arena) {
        try {
            return Files.readString(arena.resolve("output"));
        } catch (IOException none) {
            return none.toString();
        }
    }
}
