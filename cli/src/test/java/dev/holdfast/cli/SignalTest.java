package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signals to {@code holdfast} are for its command, or end its waiting. */
@Tag("processes")
class SignalTest {
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
    void signalsArePassedOnToTheWholeGroup() {
        Launched run = sandbox.holdfast("run", "x", "--", "bash", "-c", """
                pause() { read -r -t 0.05 <> <(:); }
                trap 'echo TERM' TERM; trap 'echo INT' INT; trap 'echo HUP' HUP; trap 'echo USR1' USR1
                trap 'echo USR2; exit 9' USR2
                (trap 'echo child > child; exit' USR1; echo in > in; while :; do pause; done) &
                while :; do pause; done
                """);
        sandbox.line("in");
        StringBuilder expected = new StringBuilder();
        for (String signal : List.of("USR1", "TERM", "INT", "HUP", "USR2")) {
            Sandbox.signal(signal, run.pid());
            expected.append(signal).append('\n');
            Sandbox.await().alias(signal).until(run::out, expected.toString()::equals);
            assertThat(sandbox.line("child")).isEqualTo("child");
        }

        assertThat(run.exitCode()).isEqualTo(9);
    }

    @Test
    void aCommandThatDiesOfASignalGivesItsNumber() {
        Launched run = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        Sandbox.signal("TERM", run.pid());

        assertThat(run.exitCode()).isEqualTo(128 + 15);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aSignalEndsTheWaitAndLeavesTheLine() {
        Launched holder = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        Launched terminated = sandbox.holdfast("run", "x", "--", "touch", "never");
        Launched interrupted = sandbox.holdfast("run", "--wait", "1h", "x", "--", "touch", "never");
        awaitWaiters(2);
        Sandbox.signal("TERM", terminated.pid());
        Sandbox.signal("INT", interrupted.pid());

        assertThat(terminated.exitCode()).isEqualTo(128 + 15);
        assertThat(interrupted.exitCode()).isEqualTo(128 + 2);
        assertThat(terminated.err() + interrupted.err()).isEmpty();
        awaitWaiters(0);
        assertThat(holder.isAlive()).isTrue();
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void watchEndsCleanlyWithCtrlC() {
        Launched watch = sandbox.holdfast("watch", "--interval", "1h");
        Sandbox.await().until(() -> watch.out().contains("NAME"));
        Sandbox.signal("INT", watch.pid());

        assertThat(watch.output()).contains("0 locks, 0 waiters");
    }

    private void awaitWaiters(int count) {
        Sandbox.await().until(() -> {
            Launched show = sandbox.holdfast("show", "x");
            return show.exitCode() == 0
                    && show.out().lines().filter(line -> line.contains("waits")).count() == count;
        });
    }
}
