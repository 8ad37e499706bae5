package dev.holdfast.cli;

import java.util.List;

/** Where the command line starts. */
public final class Main {
    private Main() {}

    /**
     * Executes one command and ends the process with its exit code.
     *
     * @param arguments the command and its arguments; of what stands behind {@code --} the first word is enough
     */
    public static void main(String[] arguments) {
        System.exit(CommandLines.execute(List.of(arguments)));
    }
}
