package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An interactive command has the terminal as if it had been started by the shell itself. */
@Tag("processes")
class TerminalTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";
    private static final String CTRL_Z = "\u001a";

    @TempDir
    private Path directory;

    private Sandbox sandbox;
    private Prompt prompt;

    @BeforeEach
    void open() throws IOException, InterruptedException {
        int missing = new ProcessBuilder("bash", "-c", "type -P script >/dev/null")
                .start()
                .waitFor();
        Assumptions.assumeTrue(
                missing == 0, "there is no 'script' (util-linux) on this machine, so no terminal was tried");
        sandbox = new Sandbox(directory);
        prompt = sandbox.prompt();
    }

    @AfterEach
    void close() {
        if (prompt != null) {
            prompt.close();
            sandbox.close();
        }
    }

    @Test
    void aCommandReadsTheTerminalAndTheShellHasItAgainAfterwards() {
        prompt.type("$HOLDFAST run x -- bash -c 'read -p \"na\"me? name; echo \"he\"llo $name; exit 3'")
                .expect("name?")
                .type("Fred")
                .expect("hello Fred")
                .expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 3");
        prompt.type("($HOLDFAST run x -- sh -c 'echo \"i\"n; exec cat'; read -p \"af\"ter? line; echo \"go\"t $line)")
                .expect("in")
                .press("one\n")
                .expect("one")
                .expect("one")
                .press(CTRL_D)
                .expect("after?")
                .type("two")
                .expect("got two")
                .expect(Prompt.PROMPT);
    }

    @Test
    void ctrlCReachesTheCommandAndHoldfastPassesItsEndOn() {
        prompt.type(
                        "$HOLDFAST run x -- bash -c 'trap \"echo \\\"ca\\\"ught; exit 5\" INT; echo \"i\"n; while :; do sleep 0.1; done'")
                .expect("in")
                .press(CTRL_C)
                .expect("caught")
                .expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 5").expect(Prompt.PROMPT);
        prompt.type("$HOLDFAST run x -- sh -c 'echo \"i\"n; exec sleep 1000'")
                .expect("in")
                .press(CTRL_C)
                .expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 130");
    }

    @Test
    void ctrlCEndsAWait() {
        Launched holder = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        prompt.type("$HOLDFAST run x -- echo never & jobs; fg")
                .expect("Running")
                .expect("HOLDFAST run");
        Sandbox.await().until(() -> sandbox.holdfast("show", "x").output().contains("waits 1"));
        prompt.press(CTRL_C).expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 130");
        assertThat(holder.isAlive()).isTrue();
    }

    @Test
    void aWaitShowsTheHolderAndThePlaceInTheLine() {
        Launched holder = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        prompt.type("$HOLDFAST run x -- echo \"o\"n")
                .expect("holdfast: waiting for 'x': held by ")
                .expect("/" + holder.pid() + " (sh) for ")
                .expect("; place 1 of 1");
        prompt.press(CTRL_C).expect(Prompt.PROMPT);
        prompt.type("TERM=xterm $HOLDFAST run x -- echo \"o\"n")
                .expect("\r\u001b[Kholdfast: waiting for 'x': held by ")
                .expect("\r\u001b[Kholdfast: waiting for 'x': held by ");
        Sandbox.signal("TERM", holder.pid());
        prompt.expect("\r\u001b[Kon").expect(Prompt.PROMPT);
    }

    @Test
    void ctrlCEndsADemonstrationWithoutAnAlarm() throws IOException {
        Path temporary = Files.createDirectory(sandbox.path("temporary"));
        prompt.type("JAVA_TOOL_OPTIONS= HOLDFAST_JAVA_OPTS=-Djava.io.tmpdir=" + temporary
                        + " $HOLDFAST demo oversell --stock 100000")
                .expect("HOW")
                .press(CTRL_C)
                .press(CTRL_C)
                .expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 130");
        assertThat(Sandbox.read(sandbox.path("screen")))
                .doesNotContain("could not be removed", "too early", "Exception", "holdfast: ");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void ctrlZStopsTheWholeJobAndItGoesOnInBackgroundAndForeground() {
        prompt.type("$HOLDFAST run x -- sh -c 'echo \"i\"n; exec cat'").expect("in");
        prompt.press("one\n").expect("one").expect("one");
        prompt.press(CTRL_Z).expect("Stopped").expect(Prompt.PROMPT);
        prompt.type("fg").expect("cat'").press("two\n").expect("two").expect("two");
        prompt.press(CTRL_Z).expect("Stopped").expect(Prompt.PROMPT);
        prompt.type("bg").expect("&").expect(Prompt.PROMPT);
        // In the background it wants the terminal at once, and stops.
        prompt.type("until jobs | grep -q Stopped; do sleep 0.1; done; echo \"wan\"ts it")
                .expect("wants it");
        prompt.type("fg").expect("cat'").press("three\n").expect("three").expect("three");
        prompt.press(CTRL_D).expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?; jobs").expect("code 0").expect(Prompt.PROMPT);
    }

    @Test
    void killedHoldfastLeavesTheTerminalToTheShell() {
        prompt.type("$HOLDFAST run x -- sh -c 'echo $PPID > runner; exec sleep 1000'");
        long runner = Long.parseLong(sandbox.line("runner"));
        Sandbox.signal(
                "KILL",
                ProcessHandle.of(runner).orElseThrow().parent().orElseThrow().pid());
        prompt.expect("Killed").expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 137").expect(Prompt.PROMPT);
        Sandbox.await().until(() -> !Sandbox.isAlive(runner));
        prompt.type("read -p \"st\"ill? line; echo \"go\"t $line")
                .expect("still?")
                .type("it")
                .expect("got it");
    }

    @Test
    void stoppedHoldfastLeavesTheTerminalToTheShell() {
        prompt.type("$HOLDFAST run --lease 1s x -- sh -c 'echo $$ $PPID > command; exec sleep 1000'");
        String[] pids = sandbox.line("command").split(" ", -1);
        ProcessHandle runner = ProcessHandle.of(Long.parseLong(pids[1])).orElseThrow();
        Sandbox.signal("STOP", runner.parent().orElseThrow().pid());
        prompt.expect("Stopped").expect(Prompt.PROMPT);
        Sandbox.await().until(() -> !Sandbox.isAlive(Long.parseLong(pids[0])));
        prompt.type("read -p \"st\"ill? line; echo \"go\"t $line")
                .expect("still?")
                .type("it")
                .expect("got it");
        prompt.type("fg").expect("holdfast itself was stopped").expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 76");
    }

    @Test
    void aPagerBehindTheCommandKeepsTheTerminal() {
        prompt.type("$HOLDFAST run x -- echo line | bash -c 'cat; read -p \"qu\"it? key < /dev/tty; echo \"b\"ye $key'")
                .expect("line")
                .expect("quit?")
                .type("q")
                .expect("bye q")
                .expect(Prompt.PROMPT);
    }

    @Test
    void anEvictedFullScreenProgramLeavesAUsableTerminal() {
        prompt.type("$HOLDFAST run x -- sh -c 'stty raw -echo; echo in > in; exec sleep 1000'");
        sandbox.line("in");
        assertThat(sandbox.holdfast("evict", "x", "--yes", "--reason", "test").exitCode())
                .isZero();
        prompt.expect("taken away by an eviction").expect(Prompt.PROMPT);
        prompt.type("stty -a | grep -o -e '[-]*icanon' -e '[-]*echo '")
                .expect("\nicanon")
                .expect("\necho ");
    }

    @Test
    void evictShowsTheHolderAndAsks() {
        Launched holder = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        prompt.type("$HOLDFAST evict x --reason 'it hangs'")
                .expect("x is held by ")
                .expect("Take x away? (yes/no) ")
                .type("perhaps")
                .expect("Take x away? (yes/no) ")
                .type("no")
                .expect("nobody was evicted")
                .expect(Prompt.PROMPT);
        prompt.type("echo \"co\"de $?").expect("code 1").expect(Prompt.PROMPT);
        assertThat(holder.isAlive()).isTrue();
        prompt.type("$HOLDFAST evict x --reason 'it hangs'")
                .expect("(yes/no) ")
                .type("yes")
                .expect("Evicted the holder of x.")
                .expect(Prompt.PROMPT);
        assertThat(holder.exitCode()).isEqualTo(76);
        prompt.type("$HOLDFAST evict x --reason 'again'").expect("Nobody holds x.");
    }
}
