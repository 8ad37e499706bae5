package dev.holdfast.rig.database;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.RigException;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program of a server to its end. */
public final class Tool {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String LIBRARY_MISSING = "error while loading shared libraries: ";

    private Tool() {}

    /**
     * Runs it without input.
     *
     * @param command the program and its arguments
     * @throws IOException if it cannot be started
     * @throws InterruptedException if interrupted
     */
    public static void run(List<String> command) throws IOException, InterruptedException {
        run(command, "");
    }

    /**
     * Runs it.
     *
     * @param command the program and its arguments
     * @param input given to it
     * @throws IOException if it cannot be started
     * @throws InterruptedException if interrupted
     * @throws CannotRunException if this system lacks a library that it needs
     * @throws RigException if it failed otherwise
     */
    public static void run(List<String> command, String input) throws IOException, InterruptedException {
        Path in = Files.createTempFile("holdfast-tool", ".in");
        Path out = Files.createTempFile("holdfast-tool", ".out");
        try {
            Files.writeString(in, input);
            Process process = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(out.toFile()))
                    .start();
            check(command, ended(process), Files.readString(out));
        } finally {
            Files.delete(in);
            Files.delete(out);
        }
    }

    /**
     * Tells whether a command works here.
     *
     * @param command the program and its arguments
     * @return whether it could be started and said that it succeeded
     * @throws InterruptedException if interrupted
     */
    public static boolean works(List<String> command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(Redirect.from(new File("/dev/null")))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return ended(process) == 0;
        } catch (IOException thereIsNone) {
            return false;
        }
    }

    private static int ended(Process process) throws InterruptedException {
        boolean ended = false;
        try {
            ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            if (!ended) {
                process.destroyForcibly();
            }
        }
        return ended ? process.exitValue() : Integer.MIN_VALUE;
    }

    private static void check(List<String> command, int status, String output) {
        if (status == 0) {
            return;
        }
        int at = output.indexOf(LIBRARY_MISSING);
        if (at >= 0) {
            String library = output.substring(at + LIBRARY_MISSING.length()).split(":", 2)[0];
            throw new CannotRunException("This system has no " + library + ", which "
                    + Path.of(command.get(0)).getFileName() + " needs; ./check installs it on Debian as root.");
        }
        throw new RigException(String.join(" ", command) + " ended with " + status + "\n" + output);
    }
}
