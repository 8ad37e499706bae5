package dev.holdfast.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast completion}. */
@Command(
        name = "completion",
        description = "Prints a script that completes commands, options and lock names in a shell.",
        footer = {
            "",
            "Examples:",
            "  source <(holdfast completion bash)     in ~/.bashrc",
            "  source <(holdfast completion zsh)      in ~/.zshrc"
        })
final class CompletionCommand implements Callable<Integer> {
    /** The shells there is a script for. */
    enum Shell {
        bash,
        zsh
    }

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private Shell shell = Shell.bash;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        System.out.print(new CompletionScript(spec.root()).text(shell));
        return Exit.OK;
    }
}
