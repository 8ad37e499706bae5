package dev.holdfast.bench.ruler;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A child process that runs {@link Runner}. Used by one thread at a time. */
final class RunnerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration TIME_TO_LEAVE = Duration.ofSeconds(10);
    private static final int LINES_SHOWN = 30;

    private final Process process;
    private final Writer commands;
    private final Path errors;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

    private RunnerProcess(Process process, Path errors) {
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.errors = errors;
    }

    /** All makers get the same virtual machine with the same options. */
    static RunnerProcess start(
            Maker maker, String url, int number, Path blackboard, Path errors, Optional<Duration> lease) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms256m",
                "-Xmx512m",
                "-classpath",
                maker.classPath(),
                Runner.class.getName(),
                maker.wordInProcess(),
                url,
                Integer.toString(number),
                blackboard.toString(),
                Long.toString(lease.map(Duration::toMillis).orElse(0L)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                    .start();
            RunnerProcess runner = new RunnerProcess(process, errors);
            Thread listener = new Thread(runner::listen, "bench-listener-" + process.pid());
            listener.setDaemon(true);
            listener.start();
            return runner;
        } catch (IOException failed) {
            throw new UncheckedIOException("a process for " + maker.title() + " cannot be started", failed);
        }
    }

    void tell(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException gone) {
            throw new IllegalStateException("a process is gone; it said:\n" + lastErrors(), gone);
        }
    }

    String reply() throws InterruptedException {
        return reply(PATIENCE)
                .orElseThrow(() -> new IllegalStateException("a process does not reply; it said:\n" + lastErrors()));
    }

    /** Empty if there is none in time. */
    Optional<String> reply(Duration patience) throws InterruptedException {
        Optional<String> reply = Optional.ofNullable(replies.poll(patience.toNanos(), TimeUnit.NANOSECONDS));
        if (reply.filter(String::isEmpty).isPresent()) {
            throw new IllegalStateException("a process has ended; it said:\n" + lastErrors());
        }
        return reply;
    }

    void expect(String expected) throws InterruptedException {
        String reply = reply();
        if (!reply.equals(expected)) {
            throw new IllegalStateException("a process replied '" + reply + "' instead of '" + expected + "'");
        }
    }

    /** The process ends with its input; {@link #close} waits for that. */
    void dismiss() {
        try {
            commands.close();
        } catch (IOException gone) {
            process.destroyForcibly();
        }
    }

    /** As by {@code kill -9}: it cannot say farewell to any server. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        dismiss();
        try {
            if (!process.waitFor(TIME_TO_LEAVE.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** An empty reply stands for the end of the process. */
    private void listen() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines()
                    .filter(line -> line.startsWith(Runner.REPLY))
                    .map(line -> line.substring(Runner.REPLY.length()))
                    .forEach(replies::add);
        } catch (IOException | UncheckedIOException ended) {
            replies.add("");
        }
        replies.add("");
    }

    private String lastErrors() {
        try {
            List<String> lines = Files.readAllLines(errors);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
        } catch (IOException unreadable) {
            return "(" + unreadable + ")";
        }
    }
}
