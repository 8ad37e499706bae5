package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are stopped, or dead in the middle of a line. */
final class StoppedProcessTest {
    private static final int ENOUGH_FOR_SEVERAL_JOURNALS = 4_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(200);
    private static final double GENEROUS_SHARE_OF_A_CPU = 0.25;
    private static final Duration MEASURED = Duration.ofSeconds(2);

    private static HolderProcess process;
    private static HolderProcess second;

    @TempDir
    Path directory;

    @BeforeAll
    static void startProcesses() {
        process = HolderProcess.start(List.of(), List.of());
        second = HolderProcess.start(List.of(), List.of());
    }

    @AfterAll
    static void endProcesses() {
        process.close();
        second.close();
    }

    @Test
    void stoppedHolderKeepsItsLockAndIsToldOfItsEvictionWhenItGoesOn() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            long token = process.open(directory).take("x");
            process.stop();
            assertThat(client.lock("x").tryAcquire()).isEmpty();
            assertThat(client.evict("x", "the test wants it")).isEqualTo(1);
            try (Lease lease = client.lock("x").tryAcquire().orElseThrow()) {
                assertThat(lease.token()).isGreaterThan(token);
                process.resume();
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> process.ask("held x").equals("held false"));
                assertThat(process.ask("loss x")).isEqualTo("loss EVICTED");
                assertThat(process.ask("release x")).isEqualTo("released false");
                assertThat(lease.isHeld()).isTrue();
                assertThat(process.ask("try x")).isEqualTo("contended");
            }
        }
        process.ask("leave");
    }

    @Test
    void stoppedHolderIsToldOfItsEvictionAlthoughTheJournalWasReplacedSeveralTimes()
            throws IOException, InterruptedException {
        StoreFiles files = new StoreFiles(directory);
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            process.open(directory).take("x");
            process.stop();
            assertThat(client.evict("x", "the test wants it")).isEqualTo(1);
            Path journal = files.journal();
            churn(client);
            assertThat(journal).doesNotExist();
            process.resume();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> process.ask("held x").equals("held false"));
        }
        process.ask("leave");
    }

    @Test
    void stoppedWaiterIsToldOfItsGrantAlthoughTheJournalWasReplacedSeveralTimes()
            throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("x").acquire();
            process.open(directory).tell("wait x");
            Awaitility.await().atMost(PATIENCE).until(() -> waitersOfX(client) == 1);
            process.stop();
            held.close();
            churn(client);
            process.resume();
            assertThat(process.token()).isGreaterThan(held.token());
        }
        process.ask("leave");
    }

    @Test
    void processThatKeepsTheDirectoryLockedIsReportedAndNothingIsLost() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.builder()
                .url("file:" + directory)
                .commandTimeout(SHORT_TIMEOUT)
                .build()) {
            Lease held = client.lock("x").acquire();
            process.tell("lock-directory " + directory);
            process.expect("locked");
            process.stop();
            assertThatThrownBy(client::ping)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageMatching("(?s).*(it may be stopped|did not answer within the command timeout).*");
            assertThat(held.isHeld()).isTrue();
            assertThat(held.release()).as("given back in the background").isTrue();
            process.resume();
            process.tell("unlock-directory");
            process.expect("unlocked");
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> client.inspect("x").isEmpty());
        }
    }

    @Test
    void deadWaitersAreSkipped() throws InterruptedException, ExecutionException, TimeoutException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast behind = Holdfast.connect("file:" + directory);
                HolderProcess one = HolderProcess.on(directory)) {
            second.open(directory);
            Lease held = client.lock("x").acquire();
            second.tell("wait x");
            Awaitility.await().atMost(PATIENCE).until(() -> waitersOfX(client) == 1);
            one.tell("wait x");
            Awaitility.await().atMost(PATIENCE).until(() -> waitersOfX(client) == 2);
            CompletableFuture<Lease> last = behind.lock("x").acquireAsync();
            Awaitility.await().atMost(PATIENCE).until(() -> waitersOfX(client) == 3);
            one.kill();
            held.close();
            long token = second.token();
            assertThat(second.ask("release x")).isEqualTo("released true");
            assertThat(last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token()).isGreaterThan(token);
        }
        second.ask("leave");
    }

    @Test
    void waitingTakesHardlyAnyTimeOfTheProcessor() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Lease held = client.lock("x").acquire()) {
            process.open(directory).tell("wait x");
            second.open(directory).tell("wait x");
            Awaitility.await().atMost(PATIENCE).until(() -> waitersOfX(client) == 2);
            long startNanos = System.nanoTime();
            Duration before = processorTime();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .during(MEASURED)
                    .until(() -> process.isSilent() && second.isSilent() && held.isHeld());
            double used = processorTime().minus(before).toNanos();
            double passed = System.nanoTime() - startNanos;

            assertThat(used / passed)
                    .as("share of a processor that two waiting processes have used")
                    .isLessThan(GENEROUS_SHARE_OF_A_CPU);
        }
        process.token();
        assertThat(process.ask("release x")).isEqualTo("released true");
        second.token();
        process.ask("leave");
        second.ask("leave");
    }

    private static Duration processorTime() {
        return List.of(process, second).stream()
                .map(waiting -> ProcessHandle.of(waiting.pid())
                        .flatMap(handle -> handle.info().totalCpuDuration())
                        .orElseThrow())
                .reduce(Duration.ZERO, Duration::plus);
    }

    private static int waitersOfX(Holdfast client) {
        return client.inspect("x").map(view -> view.waiters().size()).orElse(0);
    }

    private static void churn(Holdfast client) throws InterruptedException {
        for (int i = 0; i < ENOUGH_FOR_SEVERAL_JOURNALS; i++) {
            client.lock("churned").acquire().close();
        }
    }
}
