package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code run} does for a command that is left alone. */
@Tag("processes")
class RunTest {
    private static final int SOME_BYTES = 1_000_000;

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
    void standardStreamsAndExitCodeAreTheCommandsOwn() throws IOException {
        byte[] data = new byte[SOME_BYTES];
        new Random(1).nextBytes(data);
        Path input = Files.write(sandbox.path("input"), data);

        Launched run = sandbox.holdfastReading(input, "run", "x", "--", "sh", "-c", "cat; echo oops >&2; exit 7");

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.err()).isEqualTo("oops\n");
        assertThat(Files.readAllBytes(sandbox.path("out-0"))).isEqualTo(data);
    }

    @Test
    void everyNameHasItsTokenAndTheNextTokensAreLarger() {
        String command = "echo $HOLDFAST_NAME $HOLDFAST_TOKEN";
        List<String> first = words(sandbox.holdfast("run", "b,a", "--", "sh", "-c", command));
        List<String> second = words(sandbox.holdfast("run", "b,a", "--", "sh", "-c", command));

        assertThat(first.get(0)).isEqualTo("b,a");
        List<String> earlier = List.of(first.get(1).split(",", -1));
        List<String> later = List.of(second.get(1).split(",", -1));
        assertThat(earlier).hasSize(2);
        assertThat(Long.parseLong(later.get(0))).isGreaterThan(Long.parseLong(earlier.get(0)));
        assertThat(Long.parseLong(later.get(1))).isGreaterThan(Long.parseLong(earlier.get(1)));
    }

    @Test
    void argumentsDirectoryAndOtherDescriptorsAreLeftAlone() {
        Launched run = sandbox.bash("""
                mkdir sub && cd sub && exec "$HOLDFAST" run x -- bash -c '
                    printf "%s|" "$PWD" "$@"; echo three >&3; [[ -e /proc/self/fd/0 ]] || echo closed
                ' '' 'a b' "" $'line\\nline' '*' -- --help 'ünï' 3>../three <&-
                """);

        assertThat(run.output()).isEqualTo(directory.resolve("sub") + "|a b||line\nline|*|--|--help|ünï|closed\n");
        assertThat(sandbox.line("three")).isEqualTo("three");
    }

    @Test
    void theEnvironmentHasThreeVariablesMoreAndNothingElse() {
        Launched run = sandbox.bash("""
                env -i PATH="$PATH" JAVA_HOME="$JAVA_HOME" HOLDFAST_DIST="$HOLDFAST_DIST" HOLDFAST_URL="$HOLDFAST_URL" \
                    SHLVL=5 "$HOLDFAST" run schlüssel -- env
                """);

        assertThat(run.output()
                        .lines()
                        .map(line -> line.substring(0, line.indexOf('=')))
                        .filter(name -> !name.equals("_")))
                .containsExactlyInAnyOrder(
                        "PATH",
                        "JAVA_HOME",
                        "HOLDFAST_DIST",
                        "HOLDFAST_URL",
                        "SHLVL",
                        "HOLDFAST_TOKEN",
                        "HOLDFAST_NAME",
                        "HOLDFAST_RUN",
                        "PWD");
        assertThat(run.out()).contains("SHLVL=5\n", "HOLDFAST_NAME=schlüssel\n");
    }

    @Test
    void aCommandThatCannotBeRunIsExplained() throws IOException {
        Files.writeString(sandbox.path("data"), "not a program");
        Launched missing = sandbox.holdfast("run", "x", "--", "no-such-program-here");
        Launched unfit = sandbox.holdfast("run", "x", "--", "./data");

        assertThat(missing.exitCode()).isEqualTo(127);
        assertThat(missing.err())
                .isEqualTo("holdfast: cannot run \"no-such-program-here\": there is no such program on the PATH\n");
        assertThat(unfit.exitCode()).isEqualTo(126);
        assertThat(unfit.err()).isEqualTo("holdfast: cannot run \"./data\": it is not executable\n");
    }

    @Test
    void aLockThatIsNotFreeInTimeIsSaidToBeHeldByItsHolder() {
        Launched holder = sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; exec sleep 1000");
        sandbox.line("in");
        Launched atOnce = sandbox.holdfast("run", "--no-wait", "y,x", "--", "touch", "never");
        Launched later = sandbox.holdfast("run", "--wait", "300ms", "x", "--", "touch", "never");

        assertThat(atOnce.exitCode()).isEqualTo(75);
        assertThat(atOnce.err())
                .matches("holdfast: did not get 'y,x': held by \\S+@\\S+/" + holder.pid() + " \\(sh\\) for \\d+s\n");
        assertThat(later.exitCode()).isEqualTo(75);
        assertThat(later.err()).startsWith("holdfast: did not get 'x' within 300ms: held by ");
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void aStoreThatFailsOrCannotBeIsNotAContendedLock() {
        Launched unreachable = sandbox.holdfast("run", "--url", "tcktest://127.0.0.1:1", "x", "--", "touch", "never");
        Launched unknown = sandbox.holdfast("run", "--url", "nope:x", "x", "--", "touch", "never");

        assertThat(unreachable.exitCode()).isEqualTo(74);
        assertThat(unreachable.err()).startsWith("holdfast: ").hasLineCount(1);
        assertThat(unknown.exitCode()).isEqualTo(64);
        assertThat(unknown.err()).contains("no store for the scheme 'nope:'").hasLineCount(1);
        assertThat(sandbox.path("never")).doesNotExist();
    }

    @Test
    void nothingIsLeftRunningAfterTheEnd() {
        Launched run =
                sandbox.holdfast("run", "x", "--", "sh", "-c", "echo in > in; until [ -e go ]; do sleep 0.01; done");
        sandbox.line("in");
        long watchdog = run.helper("watchdog");
        long runner = run.helper("runner");
        sandbox.bash("touch go").output();

        assertThat(run.output()).isEmpty();
        Sandbox.await().until(() -> !Sandbox.isAlive(watchdog) && !Sandbox.isAlive(runner));
    }

    private static List<String> words(Launched run) {
        return List.of(run.output().strip().split(" ", -1));
    }
}
