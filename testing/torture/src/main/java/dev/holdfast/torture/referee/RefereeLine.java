package dev.holdfast.torture.referee;

import dev.holdfast.torture.history.Line;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A connection to the referee. Every line carries the process and a reading of that process's clock at the moment of
 * which it tells; exchanges of {@link #sync} bound the difference to the referee's clock. Thread-safe.
 */
public final class RefereeLine implements AutoCloseable {
    private final String process;
    private final Socket socket;
    private final BufferedReader answers;
    private final Writer lines;

    private RefereeLine(String process, Socket socket) throws IOException {
        this.process = process;
        this.socket = socket;
        this.answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        this.lines = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Connects.
     *
     * @param process who speaks; a name that no other process ever has
     * @param port the referee's
     * @return the connection
     */
    public static RefereeLine open(String process, int port) {
        try {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            RefereeLine line = new RefereeLine(process, socket);
            line.sync();
            return line;
        } catch (IOException gone) {
            throw new UncheckedIOException("the referee cannot be reached", gone);
        }
    }

    /**
     * Tells the referee something that happens now.
     *
     * @param line what
     */
    public void tell(Line line) {
        tell(line, System.nanoTime());
    }

    /**
     * Tells the referee something.
     *
     * @param line what
     * @param nanos when it happened, by this process's clock
     */
    public synchronized void tell(Line line, long nanos) {
        try {
            lines.write(line.with("p", process).with("n", nanos) + "\n");
            lines.flush();
        } catch (IOException gone) {
            throw new UncheckedIOException("the referee is gone", gone);
        }
    }

    /**
     * Asks the referee.
     *
     * @param line what
     * @param nanos this process's clock at the moment that counts
     * @return its answer
     */
    public synchronized Line ask(Line line, long nanos) {
        tell(line.with("q", true), nanos);
        try {
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("it has closed the connection");
            }
            return Line.parse(answer);
        } catch (IOException gone) {
            throw new UncheckedIOException("the referee is gone", gone);
        }
    }

    /** Compares the clocks: the referee's reading lies between the two of this process. */
    public void sync() {
        for (int i = 0; i < 3; i++) {
            long sent = System.nanoTime();
            long between = ask(Line.of("sync"), sent).number("t");
            long received = System.nanoTime();
            tell(Line.of("clock").with("sent", sent).with("between", between), received);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException gone) {
            throw new UncheckedIOException("the connection to the referee cannot be closed", gone);
        }
    }
}
