package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of scripts that cannot put their work into one command, and tokens that are compared in the shell. */
@Tag("processes")
class ScriptTest {
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

    private static final String ACQUIRE = "lock=$(\"$HOLDFAST\" acquire --for $$ x) || exit; eval \"$lock\"; ";

    @Test
    void aScriptHoldsTheLockUntilItReleasesIt() {
        Launched script = sandbox.bash(ACQUIRE + """
                echo $HOLDFAST_TOKEN $HOLDFAST_NAME
                "$HOLDFAST" run --no-wait x -- true; echo $?
                "$HOLDFAST" release; echo $?
                "$HOLDFAST" run --no-wait x -- sh -c 'echo $HOLDFAST_TOKEN'
                "$HOLDFAST" release; echo $?
                """);

        assertThat(script.exitCode()).as("it said: %s", script.err()).isZero();
        String[] lines = script.out().split("\n", -1);
        String[] first = lines[0].split(" ", -1);
        assertThat(first[1]).isEqualTo("x");
        assertThat(lines[1]).isEqualTo("75");
        assertThat(lines[2]).isEqualTo("0");
        assertThat(Long.parseLong(lines[3])).isGreaterThan(Long.parseLong(first[0]));
        assertThat(lines[4]).as("a second release").isEqualTo("76");
        assertThat(script.err()).contains("did not get 'x'", "the lock is not held any more");
    }

    @Test
    void aScriptThatIsKilledGivesTheLockUp() {
        Launched script = sandbox.bash(ACQUIRE + "echo in > in; read -r < <(exec sleep 1000)");
        sandbox.line("in");
        assertThat(sandbox.holdfast("run", "--no-wait", "x", "--", "true").exitCode())
                .isEqualTo(75);

        Sandbox.signal("KILL", script.pid());

        assertThat(sandbox.holdfast("run", "x", "--", "echo", "next").output()).isEqualTo("next\n");
    }

    @Test
    void aScriptIsToldOfItsLoss() {
        Launched script = sandbox.bash(ACQUIRE + """
                trap 'echo told; "$HOLDFAST" release; exit $?' TERM
                echo in > in
                while :; do sleep 0.05; done
                """);
        sandbox.line("in");

        assertThat(sandbox.holdfast("evict", "x", "--yes", "--reason", "it hangs")
                        .exitCode())
                .isZero();

        assertThat(script.exitCode()).isEqualTo(76);
        assertThat(script.out()).isEqualTo("told\n");
        assertThat(script.err()).contains("holdfast: lost 'x': it was taken away by an eviction");
    }

    @Test
    void aScriptIsToldWhenItsGuardianIsKilledOrStopped() {
        Sandbox.LockServer server = sandbox.lockServer();
        for (String signal : new String[] {"KILL", "STOP"}) {
            sandbox.set("HOLDFAST_URL", server.url());
            Launched script = sandbox.bash("""
                    lock=$("$HOLDFAST" acquire --for $$ --lease 1s --on-loss USR1 $1) || exit; eval "$lock"
                    trap 'echo told; exit 5' USR1
                    echo ${HOLDFAST_ID%%-*} > $1
                    while :; do sleep 0.05; done
                    """, signal);
            long guardian = Long.parseLong(sandbox.line(signal));

            Sandbox.signal(signal, guardian);

            assertThat(script.exitCode()).as(signal).isEqualTo(5);
            assertThat(script.out()).isEqualTo("told\n");
            if (signal.equals("STOP")) {
                Sandbox.signal("CONT", guardian);
            }
            Sandbox.await().until(() -> !Sandbox.isAlive(guardian));
        }
    }

    @Test
    void aBusyLockAndAMissingOwnerAreRefused() {
        Launched holder = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        Launched busy = sandbox.holdfast("acquire", "--no-wait", "x");
        assertThat(busy.exitCode()).isEqualTo(75);
        assertThat(busy.out()).isEmpty();
        assertThat(busy.err()).startsWith("holdfast: did not get 'x': held by ");

        Launched nobody = sandbox.holdfast("acquire", "--for", "4194304999", "y");
        assertThat(nobody.exitCode()).isEqualTo(64);
        assertThat(holder.isAlive()).isTrue();
    }

    @Test
    void aTokenThatIsTooOldIsRefusedAndNothingIsRun() {
        assertThat(sandbox.holdfast("fence", "f", "4096", "--", "echo", "first").output())
                .isEqualTo("first\n");
        assertThat(sandbox.holdfast("fence", "f", "4096", "--", "echo", "same").output())
                .isEqualTo("same\n");
        assertThat(sandbox.holdfast("fence", "f", "8192").output()).isEmpty();

        Launched stale = sandbox.holdfast("fence", "f", "4096", "--", "touch", "never");

        assertThat(stale.exitCode()).isEqualTo(77);
        assertThat(stale.err()).isEqualTo("holdfast: token 4096 is too old: 'f' has seen 8192; nothing was done\n");
        assertThat(sandbox.path("never")).doesNotExist();
        assertThat(sandbox.holdfast("fence", "f", "9000", "--", "sh", "-c", "exit 3")
                        .exitCode())
                .isEqualTo(3);
        assertThat(sandbox.holdfast("fence", "f", "x", "--", "true").exitCode()).isEqualTo(64);
    }

    @Test
    void whatIsNoTokenOrNoFileForOneIsRefused() throws IOException {
        // The largest that fits into 63 bits is compared; a larger one would look small.
        assertThat(sandbox.holdfast("fence", "f", "9223372036854775807").output())
                .isEmpty();
        assertThat(sandbox.holdfast("fence", "f", "9999999999999999999").exitCode())
                .isEqualTo(64);
        Files.writeString(sandbox.path("large"), "99999999999999999999\n");
        Files.writeString(sandbox.path("text"), "00000000000000000003x\n");
        for (String file : new String[] {"large", "text", ".", "/dev/zero"}) {
            Launched refused = sandbox.holdfast("fence", file, "4096", "--", "touch", "never");
            assertThat(refused.exitCode()).as(file).isEqualTo(74);
            assertThat(refused.err()).startsWith("holdfast: '" + file + "' ").hasLineCount(1);
        }
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void aScriptThatDiesWhileItWaitsLeavesTheLine() {
        sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        Launched script = sandbox.bash("echo $$ > waiting; " + ACQUIRE + "touch never");
        sandbox.line("waiting");
        awaitLine("waits 1");

        Sandbox.signal("KILL", script.pid());

        Sandbox.await().until(() -> !sandbox.holdfast("show", "x").output().contains("waits"));
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void aLineThatNobodyCanReadGivesTheLockBack() {
        Launched full = sandbox.bash("exec \"$HOLDFAST\" acquire --for $$ x > /dev/full");
        assertThat(full.exitCode()).isEqualTo(70);
        assertThat(full.err())
                .startsWith("holdfast: the line for the shell could not be written")
                .hasLineCount(1);
        assertThat(sandbox.holdfast("ls", "-q").output()).isEmpty();

        Launched closed = sandbox.bash("exec 3> >(:); wait $!; exec \"$HOLDFAST\" acquire --for $$ x >&3");
        assertThat(closed.exitCode()).isEqualTo(70);
        assertThat(sandbox.holdfast("ls", "-q").output()).isEmpty();
    }

    private void awaitLine(String text) {
        Sandbox.await().until(() -> {
            Launched show = sandbox.holdfast("show", "x");
            return show.exitCode() == 0 && show.out().contains(text);
        });
    }

    @Test
    void nothingComesBetweenTheLookAndTheWrite() {
        Launched slow = sandbox.holdfast("fence", "f", "1", "--", "sh", "-c", """
                echo in > in
                until [ -e go ]; do sleep 0.02; done
                echo old > data
                """);
        sandbox.line("in");
        Launched next = sandbox.holdfast("fence", "f", "2", "--", "sh", "-c", "cat data; echo new > data");
        Sandbox.await().until(() -> next.isWaitingFor("flock"));
        assertThat(sandbox.bash("touch go").output()).isEmpty();

        assertThat(slow.output()).isEmpty();
        assertThat(next.output()).isEqualTo("old\n");
        assertThat(sandbox.line("data")).isEqualTo("new");
    }
}
