package dev.holdfast.tck;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A real process with a client of its own, which can be killed and paused. Every process is ended by its own id when it
 * is closed. Used by one thread at a time.
 */
final class WorkerProcess implements AutoCloseable {
    private static final Duration TIME_TO_LEAVE = Duration.ofSeconds(5);

    /** On a busy machine a signal takes its time, and until then a process goes on working. */
    private static final String STOP = """
            kill -STOP "$1" || exit
            for try in $(seq 1000); do
                grep -sL ') [TtZX] ' /proc/"$1"/task/*/stat | grep -q . || exit 0
                sleep 0.01
            done
            exit 1""";

    private final Process process;
    private final Writer commands;
    private final Duration patience;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final Queue<String> noise = new ConcurrentLinkedQueue<>();

    private WorkerProcess(Process process, Duration patience) {
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.patience = patience;
    }

    static WorkerProcess start(String url, String clientName, Duration lease, Duration patience) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-classpath",
                classPath(),
                Worker.class.getName(),
                url,
                clientName,
                Long.toString(lease.toMillis()));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            WorkerProcess worker = new WorkerProcess(process, patience);
            worker.listen();
            return worker;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start a worker process", failed);
        }
    }

    /** Waits until the client in the process is connected. */
    WorkerProcess ready() throws InterruptedException {
        expect("ready");
        return this;
    }

    /** Sends a command without waiting for a reply. */
    void tell(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException gone) {
            throw new UncheckedIOException("the worker process is gone; it said " + noise, gone);
        }
    }

    /** {@return the next reply} */
    String reply() throws InterruptedException {
        String reply = replies.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (reply == null) {
            throw new AssertionError("the worker process does not reply; it said " + noise);
        }
        return reply;
    }

    /** Fails the test unless this is the next reply. */
    void expect(String expected) throws InterruptedException {
        String reply = reply();
        if (!reply.equals(expected)) {
            throw new AssertionError("the worker process replied '" + reply + "' instead of '" + expected + "'");
        }
    }

    /** Sends a command and returns its reply. */
    String ask(String command) throws InterruptedException {
        tell(command);
        return reply();
    }

    /** Waits for the news of a grant and returns its token. */
    long token() throws InterruptedException {
        String reply = reply();
        if (!reply.startsWith("acquired ")) {
            throw new AssertionError("the worker process replied '" + reply + "' instead of a grant");
        }
        return Long.parseLong(reply.substring("acquired ".length()));
    }

    /** Ends the process without any chance to clean up, as {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Stops the process where it is; it does not notice. Nothing of it runs any more when this returns. */
    void pause() throws InterruptedException {
        signal(STOP);
    }

    /** Lets a paused process go on. */
    void resume() throws InterruptedException {
        signal("kill -CONT \"$1\"");
    }

    /** Asks the process to leave, and ends it if it does not. */
    @Override
    public void close() {
        try {
            commands.close();
            if (!process.waitFor(TIME_TO_LEAVE.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException gone) {
            process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void signal(String script) throws InterruptedException {
        try {
            int exit = new ProcessBuilder("sh", "-c", script, "sh", Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("'" + script + "' for " + process.pid() + " ended with " + exit);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("there is no shell to send a signal with", failed);
        }
    }

    private void listen() {
        Thread listener = new Thread(this::read, "tck-worker-" + process.pid());
        listener.setDaemon(true);
        listener.start();
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(Worker.REPLY)) {
                    replies.add(line.substring(Worker.REPLY.length()));
                } else {
                    noise.add(line);
                }
            }
        } catch (IOException ended) {
            noise.add(ended.toString());
        }
    }

    private static String classPath() {
        String classes = System.getProperty("java.class.path", "");
        String modules = System.getProperty("jdk.module.path", "");
        return modules.isEmpty() ? classes : classes + File.pathSeparator + modules;
    }
}
