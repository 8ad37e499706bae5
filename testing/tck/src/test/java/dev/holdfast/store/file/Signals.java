package dev.holdfast.store.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Commands of the system that the tests need. */
final class Signals {
    private Signals() {}

    /** A signal that stops a process takes its time on a busy machine; until then the process goes on working. */
    private static final String SEND = """
            kill -"$1" "$2" || exit
            [ "$1" = STOP ] || exit 0
            for try in $(seq 1000); do
                grep -sL ') [TtZX] ' /proc/"$2"/task/*/stat | grep -q . || exit 0
                sleep 0.01
            done
            exit 1""";

    /** Sends a signal to one process that the tests have started. After STOP, nothing of it runs any more. */
    static void send(String signal, long pid) throws InterruptedException {
        if (run(List.of("sh", "-c", SEND, "sh", signal, Long.toString(pid))) != 0) {
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
