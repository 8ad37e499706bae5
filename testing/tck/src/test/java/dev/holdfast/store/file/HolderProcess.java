package dev.holdfast.store.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A real process that runs a {@link Holder}, and can be killed and stopped. Ended by its own id when it is closed. Used
 * by one thread at a time.
 */
final class HolderProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TIME_TO_LEAVE = Duration.ofSeconds(10);

    private final Process process;
    private final Writer commands;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final Queue<String> noise = new ConcurrentLinkedQueue<>();

    private HolderProcess(Process process) {
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts a process with a client. */
    static HolderProcess on(Path directory) throws InterruptedException {
        return start(List.of(), List.of()).open(directory);
    }

    /**
     * Starts a process without a client.
     *
     * @param before a command that runs the program as somebody else; may be empty
     * @param jvm options of the JVM
     */
    static HolderProcess start(List<String> before, List<String> jvm) {
        List<String> command = new ArrayList<>(before);
        command.addAll(java(jvm, Holder.class));
        try {
            HolderProcess holder = new HolderProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
            holder.listen();
            return holder;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start a process", failed);
        }
    }

    /** {@return the command that runs a program of the tests in a small, quickly started JVM} */
    static List<String> java(List<String> jvm, Class<?> program) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto"));
        command.addAll(jvm);
        command.addAll(List.of("-classpath", System.getProperty("java.class.path"), program.getName()));
        return command;
    }

    /** Connects, in place of the client that it had; if it is refused, the test fails. */
    HolderProcess open(Path directory) throws InterruptedException {
        tell("open file:" + directory);
        expect("ready");
        return this;
    }

    /** Sends a command without waiting for a reply. */
    void tell(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException gone) {
            throw new UncheckedIOException("the process is gone; it said " + noise, gone);
        }
    }

    /** {@return the next reply} */
    String reply() throws InterruptedException {
        String reply = replies.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        if (reply == null) {
            throw new AssertionError("the process does not reply; it said " + noise);
        }
        return reply;
    }

    /** Sends a command and returns its reply. */
    String ask(String command) throws InterruptedException {
        tell(command);
        return reply();
    }

    /** Fails the test unless this is the next reply. */
    void expect(String expected) throws InterruptedException {
        String reply = reply();
        if (!reply.equals(expected)) {
            throw new AssertionError("the process replied '" + reply + "' instead of '" + expected + "'");
        }
    }

    /** Takes a free name; anything but a grant fails the test. */
    long take(String name) throws InterruptedException {
        tell("try " + name);
        return token();
    }

    /** Waits for the news of a grant and returns its token. */
    long token() throws InterruptedException {
        String reply = reply();
        if (!reply.startsWith("acquired ")) {
            throw new AssertionError("the process replied '" + reply + "' instead of a grant");
        }
        return Long.parseLong(reply.substring("acquired ".length()));
    }

    boolean isSilent() {
        return replies.isEmpty();
    }

    long pid() {
        return process.pid();
    }

    /** Ends the process without any chance to clean up, as {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Stops the process where it is; it does not notice. */
    void stop() throws InterruptedException {
        Signals.send("STOP", process.pid());
    }

    /** Lets a stopped process go on. */
    void resume() throws InterruptedException {
        Signals.send("CONT", process.pid());
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

    private void listen() {
        Thread listener = new Thread(this::read, "holder-" + process.pid());
        listener.setDaemon(true);
        listener.start();
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(Holder.REPLY)) {
                    replies.add(line.substring(Holder.REPLY.length()));
                } else {
                    noise.add(line);
                }
            }
        } catch (IOException ended) {
            noise.add(ended.toString());
        }
    }
}
