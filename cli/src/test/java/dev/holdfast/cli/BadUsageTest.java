package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.console.Exit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every mistake gets one sentence that names it, and the exit code 64. */
class BadUsageTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    nope                                | there is no command 'nope'; use run, elect, acquire, release, fence, ls
                    --nope                              | unknown option: '--nope'
                    -x ls                               | unknown option: '-x'
                    run                                 | put '--' before the command
                    run x true                          | put '--' before the command
                    run x ls -l                         | put '--' before the command
                    run x --                            | no command after '--'
                    run -- true                         | missing required parameter: 'NAME'
                    run x y -- true                     | 'y' is one argument too many
                    run --nope x -- true                | unknown option: '--nope'
                    run --wait x -- true                | 'x' is not a duration
                    run --wait 10 x -- true             | '10' is not a duration; write one like 500ms, 10s
                    run --wait -1s x -- true            | '-1s' is not a duration
                    run --wait 1s --no-wait x -- true   | --wait and --no-wait exclude each other
                    run --wait 1s --wait 2s x -- true   | '--wait'
                    run --lease 1ms x -- true           | --lease must be from 10ms to 3650d, but was 1ms
                    run --lease 9999d x -- true         | --lease must be from 10ms
                    run --grace 9999d x -- true         | --grace must be from 0s
                    run a,,b -- true                    | 'a,,b' has an empty lock name
                    run , -- true                       | empty lock name
                    ls a b                              | 'b' is one argument too many
                    ls --nope                           | unknown option: '--nope'
                    ls --url nope:x                     | no store for the scheme 'nope:'
                    ls --url nope                       | the store URL has no scheme
                    ls --url memory:#a=b                | 'memory' has no option 'a'
                    show                                | missing required parameter: 'NAME'
                    show a b                            | 'b' is one argument too many
                    show --url                          | '--url'
                    evict --reason x                    | missing required parameter: 'NAME'
                    evict x                             | missing required option: '--reason=TEXT'
                    evict -y --url memory: --reason= x  | an eviction needs a reason
                    evict -y --url memory: --reason r --token t x | invalid value for option '--token': 't' is not a long
                    evict -y --url memory: --reason r --token -1 x | a token is not negative
                    evict --url memory: --reason r x    | there is no terminal to ask on, so say --yes
                    watch --interval 1 --url memory:    | '1' is not a duration
                    watch --interval 1ms --url memory:  | --interval must be at least 100ms, but was 1ms
                    watch --count 0 --url memory:       | --count must be at least 1, but was 0
                    watch --count many --url memory:    | 'many' is not a long
                    watch a b                           | 'b' is one argument too many
                    demo                                | say which: oversell, pause or naive; see 'holdfast demo --help'
                    demo nope                           | there is no demonstration 'nope'; use oversell, pause or naive
                    elect x                             | put '--' before the command, as in: holdfast elect NAME -- COMMAND
                    release x                           | 'x' is not what 'holdfast acquire' printed
                    fence x                             | say which file and which token
                    fence x y                           | write it like this: holdfast fence FILE TOKEN -- COMMAND
                    demo oversell x                     | 'x' is one argument too many; see 'holdfast demo oversell --help'
                    demo oversell --stock 0             | --stock must be from 1 to 1000000, but was 0
                    demo oversell --workers 1           | --workers must be from 2 to 50, but was 1
                    demo oversell --jdbc h2:mem:x       | --jdbc takes a URL that begins with 'jdbc:'
                    demo oversell --rig                 | test rig of the repository; use './holdfast demo oversell --rig'
                    demo naive                          | test rig of the repository; use './holdfast demo naive' there
                    demo pause --rig                    | unknown option: '--rig'
                    completion                          | missing required parameter: 'SHELL'
                    completion fish                     | none for 'fish'
                    """)
    void isExplainedInOneSentence(String line, String explanation) {
        refused(Capture.of(line.split(" +")), explanation);
    }

    @Test
    void nothingAtAllIsExplainedToo() {
        refused(Capture.of(), "say what to do: " + HoldfastCommand.COMMANDS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run",
                "ls",
                "show",
                "evict",
                "watch",
                "demo",
                "demo oversell",
                "demo pause",
                "demo naive",
                "completion"
            })
    void helpTeachesWithExamples(String command) {
        Capture help = Capture.of((command + " --help").split(" ", -1));

        assertThat(help.code()).isZero();
        assertThat(help.err()).isEmpty();
        assertThat(help.out())
                .contains("Example", "holdfast " + command + " ")
                .as("no line is too long")
                .satisfies(text -> assertThat(text.lines()).allMatch(line -> line.length() <= 80));
    }

    @Test
    void namesThatAreNotValidAreRefusedByTheirOwnRule() {
        refused(Capture.of("show", "--url", "memory:", ""), "must not be empty");
        refused(Capture.of("show", "--url", "memory:", "a\u0007"), "control characters");
        refused(Capture.of("show", "--url", "memory:", "a\uFFFD"), "is not UTF-8");
        refused(
                Capture.of("evict", "--url", "memory:", "--yes", "--reason", "r", "x".repeat(256)),
                "at most 255 bytes");
    }

    @Test
    void runWithoutItsLauncherIsRefused() {
        Capture run = Capture.of("run", "--url", "file:/tmp/nowhere", "x", "--", "true");

        assertThat(run.code()).isEqualTo(Exit.INTERNAL);
        assertThat(run.err())
                .contains("must be started by the launcher 'holdfast'")
                .hasLineCount(1);
    }

    /** SECURITY.md: no message shows a password, however a URL is mistyped. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ls --url jdbc:oracle:thin:scott/canary@h:1521/x",
                "ls --url redis:/:canary@h:x",
                "ls --url redis://:canary@h:x",
                "ls --url redis://:ca#canary@h:1",
                "ls --url redis://:1234?canary@h:1",
                "ls --url redis+sentinel://:canary@h:1",
                "ls --url redlock://:canary@h:1",
                "ls --url zookeeper://u:canary@h",
                "ls --url zookeeper:/u:canary@h:1",
                "ls --url jdbc:postgresql://u:canary@h:x/db?a=%zz",
                "ls --url jdbc:nonsense://h/db?password=canary",
                "ls --url nonsense://u:canary@h",
                "ls --urll redis://:canary@h:1",
                "ls --urll=redis://:canary@h:1",
                "ls --urll=jdbc:postgresql://h/db?password=canary",
                "redis://:canary@h:1 ls",
                "show --url memory: a redis://:canary@h:1"
            })
    void aPasswordInAMistypedUrlIsNotShown(String line) {
        Capture refused = Capture.of(line.split(" +"));

        assertThat(refused.err())
                .startsWith("holdfast: ")
                .doesNotContain("canary")
                .hasLineCount(1);
        assertThat(refused.code()).isEqualTo(Exit.USAGE);
    }

    @Test
    void aStoreThatExcludesNobodyIsRefused() {
        refused(Capture.of("run", "--url", "memory:", "x", "--", "true"), "would keep nobody out");
        refused(Capture.of("run", "--url", "Memory:jobs", "x", "--", "true"), "would keep nobody out");
    }

    private static void refused(Capture refused, String explanation) {
        assertThat(refused.err()).contains(explanation).startsWith("holdfast: ").hasLineCount(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.code()).isEqualTo(Exit.USAGE);
    }
}
