package dev.holdfast.torture.referee;

import dev.holdfast.torture.history.Line;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The process that owns the truth: it has the registers, and it writes down everything that it is told, stamped with its
 * own monotonic clock. It knows nothing of locks. A line with {@code "q":true} is answered. It ends when its input ends,
 * so it never outlives the coordinator. Thread-safe: registers and history are changed under this object's monitor.
 */
public final class Referee {
    private static final int BACKLOG = 256;

    private final long begin = System.nanoTime();
    private final Map<String, Register> open = new HashMap<>();
    private final Map<String, Register> guarded = new HashMap<>();
    private final Writer history;

    private Referee(Writer history) {
        this.history = history;
    }

    /**
     * Runs the process.
     *
     * @param args the file for the history
     * @throws IOException if the history cannot be written
     */
    public static void main(String[] args) throws IOException {
        try (BufferedWriter file = Files.newBufferedWriter(Path.of(args[0]));
                ServerSocket door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            Referee referee = new Referee(file);
            Thread acceptor = new Thread(() -> referee.accept(door), "referee-door");
            acceptor.setDaemon(true);
            acceptor.start();
            System.out.println("port " + door.getLocalPort());
            // Whoever started this process holds the other end; when it is gone, so is the reason to go on.
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            synchronized (referee) {
                file.flush();
            }
        }
    }

    private void accept(ServerSocket door) {
        try {
            while (true) {
                Socket caller = door.accept();
                caller.setTcpNoDelay(true);
                Thread thread = new Thread(() -> serve(caller), "referee-caller");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException closed) {
            System.err.println("the referee takes no more callers: " + closed.getMessage());
        }
    }

    private void serve(Socket caller) {
        try (caller;
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.UTF_8));
                Writer answers = new BufferedWriter(
                        new java.io.OutputStreamWriter(caller.getOutputStream(), StandardCharsets.UTF_8))) {
            for (String text = lines.readLine(); text != null; text = lines.readLine()) {
                Line line = Line.parse(text);
                Line answer = take(line);
                if (line.is("q")) {
                    answers.write(answer + "\n");
                    answers.flush();
                }
            }
        } catch (IOException gone) {
            // A worker that was killed; what it managed to say is in the history.
            record(Line.of("gone").with("why", String.valueOf(gone.getMessage())));
        }
    }

    private synchronized Line take(Line line) {
        Line answer = Line.of("answer");
        switch (line.event()) {
            case "sync" -> {
                return answer.with("t", System.nanoTime() - begin);
            }
            case "read" -> register(open, line).read(answer);
            case "write" -> line.with("lost", register(open, line).write(line, answer));
            case "gread" -> {
                register(guarded, line).read(answer);
                return answer;
            }
            case "gcas" -> register(guarded, line).compareAndSet(line, answer);
            default -> answer.with("done", true);
        }
        record(line);
        return answer;
    }

    private synchronized void record(Line line) {
        try {
            history.write(line.with("t", System.nanoTime() - begin) + "\n");
        } catch (IOException full) {
            throw new java.io.UncheckedIOException("the history cannot be written", full);
        }
    }

    private static Register register(Map<String, Register> all, Line line) {
        return all.computeIfAbsent(line.text("reg"), name -> new Register());
    }
}
