package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.LockView;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two kinds of jobs that share three of their six names, in several processes: no deadlock, no overlap, no end. */
abstract class TwoJobsCases {
    private static final int PROCESSES_PER_JOB = 2;
    private static final String ROUNDS = "8";
    private static final int PATIENCE_SECONDS = 120;

    abstract String url();

    @Test
    void jobsNeverOverlapNorDeadlockAndAKilledOneIsTakenOver(@TempDir Path directory)
            throws IOException, InterruptedException {
        List<Process> jobs = new ArrayList<>();
        Process dead = job("A", directory, "hang");
        try {
            Awaitility.await().atMost(Duration.ofSeconds(PATIENCE_SECONDS)).until(() -> isHeld("share_a"));
            for (int i = 0; i < PROCESSES_PER_JOB; i++) {
                jobs.add(job("A", directory, ROUNDS));
                jobs.add(job("B", directory, ROUNDS));
            }
            dead.destroyForcibly().waitFor();
            for (Process job : jobs) {
                assertThat(job.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(output(job))
                        .noneMatch(line -> line.startsWith("overlap"))
                        .endsWith("done");
            }
            try (Holdfast observer = Holdfast.connect(url())) {
                assertThat(observer.list("", 100)).extracting(LockView::name).isEmpty();
            }
        } finally {
            dead.destroyForcibly();
            jobs.forEach(Process::destroyForcibly);
        }
    }

    private boolean isHeld(String name) {
        try (Holdfast observer = Holdfast.connect(url())) {
            return observer.inspect(name)
                    .filter(view -> !view.holders().isEmpty())
                    .isPresent();
        }
    }

    private Process job(String kind, Path directory, String rounds) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        JobProcess.class.getName(),
                        url(),
                        kind,
                        directory.toString(),
                        rounds)
                .redirectErrorStream(true)
                .start();
    }

    private static List<String> output(Process job) throws IOException {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(job.getInputStream(), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }
}
