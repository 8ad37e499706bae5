package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.run.PlainRun;
import dev.holdfast.cli.run.RunCommand;
import dev.holdfast.cli.run.RunRequest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The short way and the parser must understand the same, or the short way must leave it to the parser. */
class PlainRunTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "a,b,c",
                "--no-wait x",
                "x --no-wait",
                "--wait 10s x",
                "--wait 0s x",
                "--url file:/tmp/x --wait 500ms --lease 1m --grace 2s --label hello x",
                "x --label hello --grace 0s",
                "--label 'x' x",
                "--label a=b x",
                "@file"
            })
    void readsTheUsualFormsLikeTheParser(String line) {
        List<String> arguments = List.of(line.split(" ", -1));

        assertThat(PlainRun.read(arguments, "dir/make")).contains(parsed(arguments));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-h",
                "--help x",
                "x y",
                "--wait x",
                "--wait 10 x",
                "--wait=10s x",
                "--wait 10s --no-wait x",
                "--no-wait --no-wait x",
                "--wait 1s --wait 2s x",
                "--lease 1ms x",
                "--lease",
                "--nope x",
                "-w 10s x",
                "--label -x x",
                "--label \"x\" x",
                "--url --wait x"
            })
    void leavesTheRestToTheParser(String line) {
        assertThat(PlainRun.read(List.of(line.split(" ", -1)), "make")).isEmpty();
    }

    private static RunRequest parsed(List<String> arguments) {
        CommandLine parser = CommandLines.parser(new Terminal(0, false), "dir/make");
        CommandLine.ParseResult run = parser.parseArgs(
                        Stream.concat(Stream.of("run"), arguments.stream()).toArray(String[]::new))
                .subcommand();
        return ((RunCommand) run.commandSpec().userObject()).request();
    }
}
