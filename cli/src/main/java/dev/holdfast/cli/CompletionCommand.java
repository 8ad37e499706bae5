package dev.holdfast.cli;

import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Exit;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast completion}. */
@Command(
        name = "completion",
        sortOptions = false,
        description = "Prints a script that completes commands, options and lock names in a shell.",
        footer = {
            "",
            "Examples:",
            "  source <(holdfast completion bash)     in ~/.bashrc",
            "  source <(holdfast completion zsh)      in ~/.zshrc"
        })
final class CompletionCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private String shell = "";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        if (!shell.equals("bash") && !shell.equals("zsh")) {
            return Complaint.usage(
                    "there is a script for bash and one for zsh, but none for '" + shell + "'", "completion");
        }
        System.out.print(new CompletionScript(spec.root()).text(shell));
        return Exit.OK;
    }
}
