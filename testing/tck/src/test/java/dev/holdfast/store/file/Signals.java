package dev.holdfast.store.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Commands of the system that the tests need. */
final class Signals {
    private Signals() {}

    /** Sends a signal to one process that the tests have started. */
    static void send(String signal, long pid) throws InterruptedException {
        if (run(List.of("kill", "-" + signal, Long.toString(pid))) != 0) {
            throw new AssertionError("cannot send " + signal + " to " + pid);
        }
    }

    /** {@return the exit status of a command} */
    static int run(List<String> command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException missing) {
            throw new UncheckedIOException("there is no command '" + command.get(0) + "'", missing);
        }
    }
}
