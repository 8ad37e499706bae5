package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.console.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The manual page is written by hand, so it is held against the commands. */
class ManualTest {
    private static final Path PAGE = Path.of("src/main/man/holdfast.1");

    @TempDir
    private Path directory;

    @Test
    void hasEveryCommandAndEveryOption() throws IOException {
        String page = Files.readString(PAGE).replace("\\-", "-");
        CommandLine root = CommandLines.parser(new Terminal(0, false), "");

        assertThat(withSubcommands(root)).hasSizeGreaterThan(6).allSatisfy(command -> {
            if (command.getParent() != null) {
                assertThat(page)
                        .contains(
                                command.getParent() == root
                                        ? ".SH " + command.getCommandName().toUpperCase(Locale.ROOT) + "\n"
                                        : ".B " + command.getCommandName() + "\n");
            }
            command.getCommandSpec()
                    .options()
                    .forEach(option -> assertThat(option.names())
                            .allSatisfy(name ->
                                    assertThat(page).containsPattern("(?m)^\\.(B|BI|BR) .*" + name + "( |,|$)")));
        });
    }

    @Test
    void rendersWithoutAComplaint() throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                bash("type -P groff >/dev/null", directory.resolve("ignored")) == 0,
                "there is no groff on this machine, so the manual page was not rendered");
        Path shown = directory.resolve("shown");

        assertThat(bash("groff -man -Tutf8 -ww -P-cbou '" + PAGE.toAbsolutePath() + "'", shown))
                .isZero();
        assertThat(shown)
                .content()
                .contains("holdfast run [options] NAME[,NAME...]", "--lease DURATION")
                .doesNotContain("warning", "error:");
    }

    private static List<CommandLine> withSubcommands(CommandLine command) {
        return Stream.concat(
                        Stream.of(command),
                        command.getSubcommands().values().stream().flatMap(each -> withSubcommands(each).stream()))
                .toList();
    }

    private static int bash(String script, Path output) throws IOException, InterruptedException {
        return new ProcessBuilder("bash", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
    }
}
