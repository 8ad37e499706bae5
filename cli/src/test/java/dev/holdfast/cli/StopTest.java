package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command never runs without protection: what stops it, and that nothing of it is left. */
@Tag("processes")
class StopTest {
    /** A command with a grandchild; both write their process ids, do not care for TERM, and would run for long. */
    static final String STUBBORN = """
            trap '' TERM
            sh -c 'trap "" TERM; echo $$ > grandchild; while :; do sleep 1000; done' &
            echo $$ $HOLDFAST_TOKEN > child
            wait
            sleep 1000
            """;

    /** Says whether the command before it is still there, then its own token. */
    static final String NEXT =
            "read child rest < child; kill -0 $child 2>/dev/null && echo overlap; echo $HOLDFAST_TOKEN";

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
    void killedHoldfastTakesItsCommandAlongAndTheNextGetsIn() {
        // It is the broken pipe that tells the watchdog; a missing sign of life would take a lease time.
        Launched run = stubborn("--lease", "1h");
        Launched next = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
        awaitWaiter();

        Sandbox.signal("KILL", run.pid());

        assertThat(run.exitCode()).isEqualTo(137);
        awaitStopped();
        assertThat(Long.parseLong(next.output().strip())).isGreaterThan(token());
    }

    @Test
    void wholeKilledGroupTakesItsCommandAlongToo() {
        // With job control the launcher has a process group of its own, as at a prompt.
        Launched shell =
                sandbox.bash("set -m; \"$HOLDFAST\" run x -- sh -c \"$1\" & echo $! > holdfast; wait", STUBBORN);
        sandbox.line("child");
        sandbox.line("grandchild");

        Sandbox.signal("KILL", -Long.parseLong(sandbox.line("holdfast")));

        awaitStopped();
        assertThat(shell.exitCode()).isZero();
    }

    @Test
    void evictionStopsTheCommandAndTheNextTokenIsLarger() {
        Launched run = stubborn();
        Launched next = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
        awaitWaiter();

        assertThat(sandbox.holdfast("evict", "x", "--yes", "--reason", "it hangs")
                        .output())
                .isEqualTo("Evicted the holder of x.\n");

        assertThat(run.exitCode()).isEqualTo(76);
        assertStopped();
        assertThat(run.err())
                .matches("holdfast: lost 'x' while the command ran: it was taken away by an eviction by \\S+@\\S+:"
                        + " it hangs\n");
        assertThat(Long.parseLong(next.output().strip())).isGreaterThan(token());
    }

    @Test
    void evenASlowWatchdogKeepsTheNextCommandFromStarting() {
        Launched run = stubborn();
        long watchdog = run.helper("watchdog");
        Launched next = sandbox.holdfast("run", "x", "--", "sh", "-c", NEXT);
        awaitWaiter();
        Sandbox.signal("STOP", watchdog);

        assertThat(sandbox.holdfast("evict", "x", "--yes", "--reason", "test").exitCode())
                .isZero();

        Sandbox.await()
                .alias("the next has the lock")
                .until(() -> sandbox.holdfast("show", "x").output().contains("/" + next.pid() + " "));
        assertThat(Sandbox.isAlive(child())).as("the command before it").isTrue();
        assertThat(next.out()).isEmpty();
        Sandbox.signal("CONT", watchdog);
        assertThat(Long.parseLong(next.output().strip())).isGreaterThan(token());
        assertThat(run.exitCode()).isEqualTo(76);
        assertStopped();
        assertThat(sandbox.path("locks/commands")).isEmptyDirectory();
    }

    @Test
    void stoppedHoldfastLosesItsLeaseButTheCommandIsGoneByThen() {
        Sandbox.LockServer server = sandbox.lockServer();
        Launched run = stubborn("--url", server.url(), "--lease", "2s");
        Launched next = sandbox.holdfast("run", "--url", server.url(), "x", "--", "sh", "-c", NEXT);

        Sandbox.signal("STOP", run.pid());

        assertThat(Long.parseLong(next.output().strip())).isGreaterThan(token());
        assertThat(Sandbox.isStopped(run.pid())).isTrue();
        assertStopped();
        Sandbox.signal("CONT", run.pid());
        assertThat(run.exitCode()).isEqualTo(76);
        assertThat(run.err())
                .startsWith("holdfast: lost 'x' while the command ran: ")
                .hasLineCount(1);
    }

    @Test
    void silentStoreMeansTermInTimeForItsHandlerAndTheEndByTheDeadline() {
        Sandbox.LockServer server = sandbox.lockServer();
        Launched run = sandbox.holdfast(
                "run",
                "--url",
                server.url(),
                "--lease",
                "3s",
                "x",
                "--",
                "bash",
                "-c",
                "trap 'echo cleaned up; exit 0' TERM; echo in > in; while :; do sleep 0.05; done");
        sandbox.line("in");

        Sandbox.signal("STOP", server.process().pid());

        assertThat(run.exitCode()).isEqualTo(76);
        assertThat(run.out()).isEqualTo("cleaned up\n");
        assertThat(run.err()).contains("holdfast: lost 'x' while the command ran: ");
    }

    @Test
    void stoppedHoldfastIsGivenUpOnAStoreWithoutDeadlinesToo() {
        Launched run = stubborn("--lease", "1s");

        Sandbox.signal("STOP", run.pid());

        awaitStopped();
        assertThat(Sandbox.isStopped(run.pid())).isTrue();
        Sandbox.signal("CONT", run.pid());
        assertThat(run.exitCode()).isEqualTo(76);
        assertThat(run.err())
                .startsWith("holdfast: gave up 'x' while the command ran: holdfast itself was stopped")
                .hasLineCount(1);
    }

    @Test
    void killedWatchdogEndsTheRunAndTheLockIsFree() {
        Launched run = stubborn("--grace", "100ms");

        Sandbox.signal("KILL", run.helper("watchdog"));

        assertThat(run.exitCode()).isEqualTo(70);
        awaitStopped();
        assertThat(run.err()).isEqualTo("holdfast: the watchdog was killed, so the command was stopped\n");
        assertThat(sandbox.holdfast("run", "--no-wait", "x", "--", "true").output())
                .isEmpty();
    }

    @Test
    void killedRunnerEndsTheRunAndTheLockIsFree() {
        Launched run = stubborn();

        Sandbox.signal("KILL", run.helper("runner"));

        assertThat(run.exitCode()).isEqualTo(70);
        assertStopped();
        assertThat(run.err())
                .contains("the process that waits for the command was killed")
                .hasLineCount(1);
        assertThat(sandbox.holdfast("run", "--no-wait", "x", "--", "true").output())
                .isEmpty();
    }

    @Test
    void killedHoldfastThatStillWaitedLeavesNothing() {
        Launched holder = stubborn();
        Launched waiting = sandbox.holdfast("run", "x", "--", "touch", "never");
        awaitWaiter();
        long watchdog = waiting.helper("watchdog");
        long runner = waiting.helper("runner");

        Sandbox.signal("KILL", waiting.pid());

        Sandbox.await().until(() -> !Sandbox.isAlive(watchdog) && !Sandbox.isAlive(runner));
        assertThat(holder.isAlive()).isTrue();
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void aChildThatLeftTheGroupIsStoppedTooAndTheNextStartsOnlyThen() {
        Launched run = sandbox.holdfast("run", "x", "--", "bash", "-c", """
                setsid bash -c 'trap "" TERM; echo $$ > grandchild; while :; do sleep 1000; done' < /dev/null &
                until [ -s grandchild ]; do sleep 0.02; done
                echo $$ $HOLDFAST_TOKEN > child
                exec sleep 1000
                """);
        sandbox.line("child");
        assertThat(sandbox.holdfast("evict", "x", "--yes", "--reason", "test").exitCode())
                .isZero();

        assertThat(run.exitCode()).isEqualTo(76);
        assertStopped();
    }

    @Test
    void aRunWithinARunIsStoppedWithIt() {
        Launched run = sandbox.holdfast("run", "x", "--", Sandbox.LAUNCHER, "run", "y", "--", "sh", "-c", STUBBORN);
        sandbox.line("child");
        sandbox.line("grandchild");

        Sandbox.signal("KILL", run.pid());

        awaitStopped();
        Sandbox.await().until(() -> sandbox.holdfast("ls").output().isEmpty());
    }

    private Launched stubborn(String... options) {
        Launched run =
                sandbox.holdfast(Stream.of(List.of("run"), List.of(options), List.of("x", "--", "sh", "-c", STUBBORN))
                        .flatMap(List::stream)
                        .toArray(String[]::new));
        sandbox.line("child");
        sandbox.line("grandchild");
        return run;
    }

    private void awaitWaiter() {
        Sandbox.await().until(() -> {
            Launched show = sandbox.holdfast("show", "x");
            return show.exitCode() == 0 && show.out().contains("waits 1");
        });
    }

    private void awaitStopped() {
        Sandbox.await().until(() -> !Sandbox.isAlive(child()) && !Sandbox.isAlive(grandchild()));
    }

    private void assertStopped() {
        assertThat(Sandbox.isAlive(child())).as("child").isFalse();
        assertThat(Sandbox.isAlive(grandchild())).as("grandchild").isFalse();
    }

    private long child() {
        return Long.parseLong(sandbox.line("child").split(" ", -1)[0]);
    }

    private long token() {
        return Long.parseLong(sandbox.line("child").split(" ", -1)[1]);
    }

    private long grandchild() {
        return Long.parseLong(sandbox.line("grandchild"));
    }
}
