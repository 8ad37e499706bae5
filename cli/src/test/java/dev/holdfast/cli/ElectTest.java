package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A candidate runs its command while it leads, and stands again after a loss. */
@Tag("processes")
class ElectTest {
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

    private static final String TERM_OF_OFFICE = "echo $HOLDFAST_TOKEN $$ > $1.new; mv $1.new $1; exec sleep 1000";

    @Test
    void aDeposedLeaderIsStoppedAndStandsAgain() {
        Launched first = candidate("first");
        String[] term = sandbox.line("first").split(" ", -1);
        Launched second = candidate("second");
        awaitWaiter();

        assertThat(sandbox.holdfast("evict", "boss", "--yes", "--reason", "test")
                        .output())
                .contains("Evicted");

        String[] next = sandbox.line("second").split(" ", -1);
        assertThat(Long.parseLong(next[0])).isGreaterThan(Long.parseLong(term[0]));
        assertThat(Sandbox.isAlive(Long.parseLong(term[1]))).as("the deposed").isFalse();
        awaitWaiter();
        assertThat(first.err()).contains("holdfast: lost 'boss' while the command ran: it was taken away");

        Sandbox.signal("TERM", second.pid());
        assertThat(second.exitCode()).isEqualTo(128 + 15);
        Sandbox.await()
                .alias("the first leads again, with the largest token")
                .until(() -> Long.parseLong(sandbox.line("first").split(" ", -1)[0]) > Long.parseLong(next[0]));
        Sandbox.signal("INT", first.pid());
        assertThat(first.exitCode()).isEqualTo(128 + 2);
        assertThat(sandbox.holdfast("ls").output()).isEmpty();
    }

    @Test
    void theEndOfTheCommandIsTheEnd() {
        Launched run = sandbox.holdfast("elect", "boss", "--", "sh", "-c", "echo out; exit 76");

        assertThat(run.exitCode()).as("the command's own, not a loss").isEqualTo(76);
        assertThat(run.out()).isEqualTo("out\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aKilledCandidateTakesItsCommandAlong() {
        Launched run = candidate("first");
        long command = Long.parseLong(sandbox.line("first").split(" ", -1)[1]);

        Sandbox.signal("KILL", run.pid());

        Sandbox.await().until(() -> !Sandbox.isAlive(command));
        Sandbox.await().until(() -> sandbox.holdfast("ls").output().isEmpty());
    }

    @Test
    void aKilledTermEndsTheCandidateAndItsCommandInSilence() {
        Launched run = candidate("first");
        long command = Long.parseLong(sandbox.line("first").split(" ", -1)[1]);
        long term = ProcessHandle.of(run.pid())
                .orElseThrow()
                .children()
                .filter(child -> child.info().command().orElse("").endsWith("java"))
                .findFirst()
                .orElseThrow()
                .pid();

        Sandbox.signal("KILL", term);

        assertThat(run.exitCode()).isEqualTo(128 + 9);
        Sandbox.await().until(() -> !Sandbox.isAlive(command));
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerIsAskedAgain() {
        Sandbox.LockServer server = sandbox.lockServer();
        server.process().destroyForcibly();
        sandbox.set("HOLDFAST_URL", server.url());
        Launched run = sandbox.holdfast("elect", "--lease", "1s", "boss", "--", "touch", "never");

        Sandbox.await().until(() -> run.err().lines().count() >= 2);

        assertThat(run.isAlive()).isTrue();
        Sandbox.signal("TERM", run.pid());
        run.exitCode();
        assertThat(sandbox.path("never")).doesNotExist();
    }

    private void awaitWaiter() {
        Sandbox.await().until(() -> {
            Launched show = sandbox.holdfast("show", "boss");
            return show.exitCode() == 0 && show.out().contains("waits 1");
        });
    }

    private Launched candidate(String name) {
        return sandbox.holdfast("elect", "boss", "--", "sh", "-c", TERM_OF_OFFICE, "sh", name);
    }
}
