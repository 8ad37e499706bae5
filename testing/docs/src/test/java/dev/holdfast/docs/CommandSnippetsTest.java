package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.CommandLineCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command line of Holdfast in a page is one that its parser takes; every script of this repository that a page calls is
 * there; blocks marked {@code runs} run with the command line that was built.
 */
final class CommandSnippetsTest {
    /** What readers have anyway. A new word here is a decision. */
    private static final Set<String> COMMON = Set.of(
            "mvn", "git", "cd", "export", "source", "kill", "java", "ls", "tar", "man", "sleep", "echo", "less", "cat",
            "grep", "ps", "jq", "curl", "jfr", "eval", "exit");

    private static final int LONGEST_SECONDS = 60;

    @Test
    void everyCommandMakesSense() throws IOException {
        List<String> mistakes = new ArrayList<>();
        int commands = 0;
        for (Page page : Pages.forUsers()) {
            for (Fence fence : page.fences("sh")) {
                mistakes.addAll(mistakesIn(fence));
                commands += ShellCommands.of(fence.code()).size();
            }
            for (Fence hidden : page.fences()) {
                if (Set.of("bash", "shell", "console").contains(hidden.language())) {
                    mistakes.add(hidden.where() + ": call the language 'sh', so that it is checked");
                }
            }
        }
        assertThat(mistakes).isEmpty();
        assertThat(commands).isGreaterThan(12);
    }

    private static List<String> mistakesIn(Fence fence) {
        List<String> mistakes = new ArrayList<>();
        for (List<String> command : ShellCommands.of(fence.code())) {
            String program = command.get(0);
            if (program.equals("holdfast") || program.equals("./holdfast")) {
                CommandLineCheck.mistakeIn(command.subList(1, command.size()))
                        .ifPresent(mistake -> mistakes.add(fence.where() + ": " + command + ": " + mistake));
            } else if (program.contains("/")) {
                if (!Files.isExecutable(Pages.ROOT.resolve(program))) {
                    mistakes.add(fence.where() + ": there is no program " + program);
                }
            } else if (!COMMON.contains(program)) {
                mistakes.add(fence.where() + ": nobody knows the command " + program);
            }
        }
        return mistakes;
    }

    @TestFactory
    List<DynamicTest> whatIsMarkedRuns(@TempDir Path directory) throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Page page : Pages.forUsers()) {
            for (Fence fence : page.fences("sh")) {
                if (fence.mark().equals("runs")) {
                    Path own = Files.createDirectory(directory.resolve("block-" + tests.size()));
                    tests.add(DynamicTest.dynamicTest(fence.where(), () -> {
                        Outcome outcome = run(fence.code(), own);
                        assertThat(outcome.status()).as(outcome.said()).isZero();
                    }));
                }
            }
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    private record Outcome(int status, String said) {}

    private static Outcome run(String code, Path directory) throws IOException, InterruptedException {
        Path heard = directory.resolve("heard");
        ProcessBuilder builder = new ProcessBuilder("bash", "-euo", "pipefail", "-c", code)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(heard.toFile());
        Files.createSymbolicLink(directory.resolve("holdfast"), Pages.ROOT.resolve("holdfast"));
        Map<String, String> environment = builder.environment();
        // Whoever runs the tests may have settings of their own.
        environment.keySet().removeIf(variable -> variable.startsWith("HOLDFAST_"));
        environment.put("HOLDFAST_DIST", System.getProperty("holdfast.dist"));
        environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
        environment.put("XDG_CONFIG_HOME", directory.resolve("config").toString());
        environment.put("PATH", directory + ":" + environment.get("PATH"));
        Process process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return new Outcome(process.waitFor(), Files.readString(heard, StandardCharsets.UTF_8));
    }

    @Test
    void mistakesAreFound() {
        Page page = Page.of(Path.of("x"), "made-up.md", """
                ```sh
                holdfast run nightly ./backup.sh         # no '--'
                holdfast run --wait soon nightly -- true
                HOLDFAST_URL=x ./holdfast ls --jsonn
                holdfast ls | less; source <(holdfast complete bash)
                ./no-such-script
                wget example
                holdfast run --wait 10s a,b -- ./migrate --with 'two words'
                ```
                """);
        assertThat(mistakesIn(page.fences().get(0)))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("made-up.md:2:").contains("'run' needs '--'"),
                        second -> assertThat(second).contains("soon"),
                        third -> assertThat(third).contains("--jsonn"),
                        fourth -> assertThat(fourth).contains("complete"),
                        fifth -> assertThat(fifth).contains("./no-such-script"),
                        sixth -> assertThat(sixth).contains("wget"));
    }

    @Test
    void commandThatFailsIsNoticed(@TempDir Path directory) throws IOException, InterruptedException {
        Outcome outcome = run("./holdfast run --no-wait x -- false", directory);
        assertThat(outcome.status()).as(outcome.said()).isEqualTo(1);
    }
}
