package dev.holdfast.cli.guard;

import dev.holdfast.cli.event.SupervisionException;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * A conversation in lines with a process that the launcher has started, over two pipes that this process has inherited.
 * A line is written in one step and is shorter than what the system writes at once, so lines never mix. Thread-safe.
 */
public final class PipePair {
    private final String from;
    private final RandomAccessFile to;

    private PipePair(String from, RandomAccessFile to) {
        this.from = from;
        this.to = to;
    }

    /**
     * Opens the pipes that the launcher has named in a system property.
     *
     * @throws SupervisionException if there are none
     */
    public static PipePair inherited(String property) {
        String descriptors = System.getProperty(property, "");
        int comma = descriptors.indexOf(',');
        if (comma < 0) {
            throw new SupervisionException("'run' must be started by the launcher 'holdfast', not by java itself,"
                    + " because the launcher starts the watchdog that protects the command");
        }
        try {
            // For reading too: to open the pipe of a dead process for writing only would wait for ever.
            String writing = path(descriptors.substring(comma + 1));
            return new PipePair(path(descriptors.substring(0, comma)), new RandomAccessFile(writing, "rw"));
        } catch (IOException unusable) {
            throw new SupervisionException("cannot open the pipe to the watchdog", unusable);
        }
    }

    /** Hears every line, then the end, on a thread of its own. */
    public void listen(String threadName, Consumer<String> onLine, Runnable onEnd) {
        Thread listener = new Thread(() -> read(onLine, onEnd), threadName);
        listener.setDaemon(true);
        listener.start();
    }

    /** Says a line. A process that is dead does not hear it; that it is dead is heard by {@link #listen}. */
    public void say(String line) {
        try {
            synchronized (to) {
                to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException broken) {
            throw new SupervisionException("cannot write to the watchdog", broken);
        }
    }

    private void read(Consumer<String> onLine, Runnable onEnd) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(new FileInputStream(from), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                onLine.accept(line);
            }
        } catch (IOException broken) {
            // A pipe that cannot be read any more has ended.
            onEnd.run();
            return;
        }
        onEnd.run();
    }

    private static String path(String descriptor) {
        return "/proc/self/fd/" + descriptor;
    }
}
