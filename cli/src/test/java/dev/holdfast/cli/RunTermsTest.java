package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run may ask for besides: who may run beside it, for how long, and what a busy lock means. */
@Tag("processes")
class RunTermsTest {
    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void open() {
        sandbox = new Sandbox(directory);
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    @Test
    void aBusyLockIsSkippedOrRefusedWithTheChosenCode() {
        holder("x");

        Launched skipped = sandbox.holdfast("run", "--on-busy", "skip", "x", "--", "touch", "never");
        Launched refused = sandbox.holdfast("run", "--on-busy", "fail", "x", "--", "touch", "never");
        Launched chosen = sandbox.holdfast("run", "-n", "-E", "9", "x", "--", "touch", "never");
        Launched late = sandbox.holdfast("run", "--wait", "50ms", "--on-busy", "skip", "x", "--", "touch", "never");

        assertThat(skipped.output()).isEmpty();
        assertThat(late.output()).isEmpty();
        assertThat(refused.exitCode()).isEqualTo(75);
        assertThat(chosen.exitCode()).isEqualTo(9);
        for (Launched each : new Launched[] {refused, chosen}) {
            assertThat(each.err()).matches("holdfast: did not get 'x': held by \\S+ \\(sh\\) for \\S+\n");
        }
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void readersShareAndKeepAWriterOut() {
        holder("--shared", "x");

        assertThat(sandbox.holdfast("run", "--shared", "--no-wait", "x", "--", "echo", "too")
                        .output())
                .isEqualTo("too\n");
        assertThat(sandbox.holdfast("run", "--exclusive", "--no-wait", "x", "--", "true")
                        .exitCode())
                .isEqualTo(75);
        Launched plain = sandbox.holdfast("run", "--no-wait", "x", "--", "true");
        assertThat(plain.exitCode()).isEqualTo(64);
        assertThat(plain.err()).startsWith("holdfast: ").hasLineCount(1);
    }

    @Test
    void permitsLetSoManyRun() {
        holder("--permits", "2/3", "x");

        assertThat(sandbox.holdfast("run", "--permits", "2/3", "--no-wait", "x", "--", "true")
                        .exitCode())
                .isEqualTo(75);
        assertThat(sandbox.holdfast("run", "--permits", "1/3", "--no-wait", "x", "--", "echo", "in")
                        .output())
                .isEqualTo("in\n");
    }

    @Test
    void theLockIsKeptForTheLeastTimeAndASignalEndsThat() {
        Launched run = sandbox.holdfast("run", "--at-least", "1h", "x", "--", "sh", "-c", "echo done > done; exit 3");
        sandbox.line("done");
        Sandbox.await()
                .alias("runner and watchdog have ended")
                .until(() -> ProcessHandle.of(run.pid())
                        .orElseThrow()
                        .children()
                        .noneMatch(child -> Sandbox.isAlive(child.pid())));
        assertThat(sandbox.holdfast("run", "--no-wait", "x", "--", "true").exitCode())
                .isEqualTo(75);

        Sandbox.signal("TERM", run.pid());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(sandbox.holdfast("run", "--no-wait", "x", "--", "true").output())
                .isEmpty();
    }

    @Test
    void theLeastTimeIsCountedFromTheGrant() {
        long begin = System.nanoTime();
        assertThat(sandbox.holdfast("run", "--at-least", "1500ms", "x", "--", "true")
                        .output())
                .isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void theCommandIsStoppedAfterTheMostTimeAndMayCleanUp() {
        Launched run = sandbox.holdfast(
                "run",
                "--at-most",
                "300ms",
                "x",
                "--",
                "bash",
                "-c",
                "trap 'echo cleaned up; exit 0' TERM; while :; do sleep 0.05; done");

        assertThat(run.exitCode()).isEqualTo(124);
        assertThat(run.out()).isEqualTo("cleaned up\n");
        assertThat(run.err())
                .as("besides what the shell says of its own child")
                .endsWith("holdfast: stopped the command after 300ms (--at-most)\n");
    }

    @Test
    void theMostTimeCountsOnAStoreWithLeasesToo() {
        Sandbox.LockServer server = sandbox.lockServer();
        Launched run = sandbox.holdfast(
                "run", "--url", server.url(), "--at-most", "300ms", "--grace", "100ms", "x", "--", "sh", "-c", """
                trap '' TERM
                while :; do sleep 1000; done
                """);

        assertThat(run.exitCode()).isEqualTo(124);
        assertThat(sandbox.holdfast("run", "--url", server.url(), "--no-wait", "x", "--", "true")
                        .output())
                .as("it was released")
                .isEmpty();
    }

    @Test
    void aShellLineIsRunAsItStands() {
        Launched run = sandbox.holdfast("run", "x", "--shell", "echo \"$HOLDFAST_NAME  $0\" | tr a-z A-Z; exit 7");

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.out()).isEqualTo("X  /BIN/SH\n");
        assertThat(sandbox.holdfast("run", "--shell=echo a", "x").output()).isEqualTo("a\n");
        Launched both = sandbox.holdfast("run", "--shell", "echo a", "x", "--", "echo", "b");
        assertThat(both.exitCode()).isEqualTo(64);
        assertThat(both.err()).contains("either --shell LINE or a command");
    }

    private void holder(String... options) {
        String[] whole = new String[options.length + 5];
        whole[0] = "run";
        System.arraycopy(options, 0, whole, 1, options.length);
        String[] command = {"--", "sh", "-c", "echo in > in; exec sleep 1000"};
        System.arraycopy(command, 0, whole, options.length + 1, command.length);
        sandbox.holdfast(whole);
        sandbox.line("in");
    }
}
