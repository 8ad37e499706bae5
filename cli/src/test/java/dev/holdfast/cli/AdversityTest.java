package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Full disks, readers and terminals that go away, stores that fall silent while somebody waits. */
@Tag("processes")
class AdversityTest {
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
    void anAnswerThatCannotBeWrittenIsAFailure() {
        for (String command : new String[] {"ls --json", "--help", "doctor"}) {
            Launched full = sandbox.bash("exec \"$HOLDFAST\" " + command + " > /dev/full");
            assertThat(full.exitCode()).as(command).isEqualTo(70);
            assertThat(full.err()).isEqualTo("holdfast: standard output cannot be written: No space left on device\n");
        }
    }

    @Test
    void aReaderThatHasHadEnoughEndsItInSilence() {
        Launched help = sandbox.bash("exec 3> >(:); wait $!; exec \"$HOLDFAST\" --help >&3");

        assertThat(help.exitCode()).isEqualTo(128 + 13);
        assertThat(help.err()).isEmpty();
    }

    @Test
    void aSecondSignalDoesNotWaitForASilentStore() {
        Sandbox.LockServer server = sandbox.lockServer();
        sandbox.set("HOLDFAST_URL", server.url());
        sandbox.holdfast("run", "--lease", "1h", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        Launched patient = sandbox.holdfast("run", "x", "--", "touch", "never");
        Launched impatient = sandbox.holdfast("run", "x", "--", "touch", "never");
        Sandbox.await().until(() -> sandbox.holdfast("show", "x").output().contains("waits 2"));
        Sandbox.signal("STOP", server.process().pid());

        Sandbox.signal("INT", patient.pid());
        sandbox.bash("while kill -INT \"$1\" 2>/dev/null; do sleep 0.2; done", Long.toString(impatient.pid()));
        int code = impatient.exitCode();

        assertThat(patient.isAlive())
                .as("it gives the store the time that a call may take")
                .isTrue();
        assertThat(code).isEqualTo(128 + 2);
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void aClosedTerminalEndsTheCommandAndFreesTheLock() {
        Assumptions.assumeTrue(
                sandbox.bash("type -P script >/dev/null").exitCode() == 0,
                "there is no 'script' (util-linux) on this machine, so no terminal was closed");
        try (Prompt prompt = sandbox.prompt()) {
            prompt.type("$HOLDFAST run x -- sh -c 'echo $$ > command; exec sleep 1000'");
            long command = Long.parseLong(sandbox.line("command"));

            prompt.hangUp();

            Sandbox.await().until(() -> !Sandbox.isAlive(command));
            assertThat(sandbox.holdfast("run", "x", "--", "echo", "next").output())
                    .isEqualTo("next\n");
        }
    }

    @Test
    void aScriptWithStrictSettingsForEveryShellDoesNotBreakIt() {
        Launched run = sandbox.bash(
                "set -eu; export SHELLOPTS POSIXLY_CORRECT=1 CDPATH=/; exec \"$HOLDFAST\" run x -- echo fine");

        assertThat(run.output()).isEqualTo("fine\n");
    }
}
