package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completion script, in the shells themselves; lock names come from a stand-in for the program. */
class CompletionTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''                  | acquire completion demo doctor elect evict fence ls release run serve show top watch --help --version
                    ev                  | evict
                    run --w             | --wait
                    run --              | --at-least --at-most --conflict-exit-code --exclusive --grace --help --label --lease --no-wait --on-busy --permits --shared --shell --url --wait
                    elect --            | --grace --help --label --lease --url
                    evict --            | --help --json --reason --token --url --yes
                    show or             | orders/1 orders/2
                    run ''              | orders/1 orders/2 other
                    run --wait ''       | ''
                    completion z        | zsh
                    demo o              | oversell
                    demo oversell --    | --help --jdbc --rig --stock --workers
                    run x -- holdfast-t | holdfast-test-program
                    run x -- ls fi      | file
                    """)
    void completesInBash(String line, String expected) throws IOException, InterruptedException {
        prepare("bash");
        String words = line.equals("''") ? "''" : line;
        int last = words.split(" +").length;
        String script = """
                cd "$1" && PATH=$PWD:$PATH && source ./script
                COMP_WORDS=(holdfast %s) COMP_CWORD=%d
                _holdfast
                echo "${COMPREPLY[@]}"
                """;

        assertThat(bash(script.formatted(words, last)))
                .isEqualTo((expected == null ? "" : expected.replace("''", "")) + "\n");
    }

    @Test
    void theScriptForZshLoadsThere() throws IOException, InterruptedException {
        prepare("zsh");
        boolean present = bash("type -P zsh >/dev/null && echo yes || echo no").equals("yes\n");
        Assumptions.assumeTrue(present, "there is no zsh on this machine, so its completion was not tried");

        assertThat(bash("cd \"$1\" && zsh -fc 'source ./script && whence -w _holdfast'"))
                .isEqualTo("_holdfast: function\n");
    }

    private void prepare(String shell) throws IOException {
        Files.writeString(
                directory.resolve("script"), Capture.of("completion", shell).out());
        program("holdfast", "printf '%s\\n' orders/1 orders/2 other | grep \"^$3\"");
        program("holdfast-test-program", ":");
        Files.writeString(directory.resolve("file"), "");
    }

    private void program(String name, String body) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private String bash(String script) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        Process process = new ProcessBuilder("bash", "--norc", "-c", script, "bash", directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        process.waitFor();
        return Files.readString(out);
    }
}
