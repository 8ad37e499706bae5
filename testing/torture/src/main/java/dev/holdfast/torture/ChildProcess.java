package dev.holdfast.torture;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of our own: a worker or the referee. It ends when its input ends; those that are left, paused ones too, are killed
 * by their ids when this JVM ends. Thread-safe.
 */
final class ChildProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly)));
    }

    private final Process process;
    private final Writer words;
    private final BufferedReader replies;

    private ChildProcess(Process process) {
        this.process = process;
        this.words = process.outputWriter(StandardCharsets.UTF_8);
        this.replies = process.inputReader(StandardCharsets.UTF_8);
    }

    static ChildProcess start(Class<?> main, Path log, List<String> arguments) {
        return start(main, log, arguments, "");
    }

    /**
     * Starts a process.
     *
     * @param before what comes before everything else on its class path; empty for nothing
     */
    static ChildProcess start(Class<?> main, Path log, List<String> arguments, String before) {
        return launch(main, log, arguments, before.isEmpty() ? classPath() : before + File.pathSeparator + classPath());
    }

    /**
     * Starts a process with an older edition of this library: it has our own program and nothing else of ours.
     *
     * @param older the class path of that edition
     */
    static ChildProcess startOlder(Class<?> main, Path log, List<String> arguments, String older) {
        String program;
        try {
            program = Path.of(main.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException("where is " + main + "?", impossible);
        }
        return launch(main, log, arguments, older + File.pathSeparator + program);
    }

    private static ChildProcess launch(Class<?> main, Path log, List<String> arguments, String classPath) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx192m",
                "-Xshare:auto",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-classpath",
                classPath,
                main.getName()));
        command.addAll(arguments);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(Redirect.appendTo(log.toFile()))
                    .start();
            ALIVE.add(process);
            return new ChildProcess(process);
        } catch (IOException failed) {
            throw new UncheckedIOException("a process cannot be started", failed);
        }
    }

    /** Waits for the next line that it says. Empty if it has ended instead. */
    String hear() {
        try {
            String line = replies.readLine();
            return line == null ? "" : line;
        } catch (IOException gone) {
            return "";
        }
    }

    /** Sends a word. One that has ended does not hear it. */
    synchronized void say(String word) {
        try {
            words.write(word + "\n");
            words.flush();
        } catch (IOException gone) {
            if (process.isAlive()) {
                throw new UncheckedIOException("a process does not listen", gone);
            }
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        ALIVE.remove(process);
    }

    /** Stops it where it is, and waits until it has really stopped. */
    void pause() throws InterruptedException {
        signal("STOP");
        Path status = Path.of("/proc", Long.toString(process.pid()), "stat");
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (process.isAlive() && !stopped(status) && System.nanoTime() < until) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    void resume() throws InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws InterruptedException {
        if (!process.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException failed) {
            throw new UncheckedIOException("there is no shell to send a signal with", failed);
        }
    }

    private static boolean stopped(Path status) {
        try {
            return !Files.exists(status) || Files.readString(status).contains(") T ");
        } catch (IOException ended) {
            return true;
        }
    }

    /** Ends its input and waits; kills it if it does not end by itself. Returns whether it did. */
    boolean leave(Duration patience) throws InterruptedException {
        try {
            words.close();
        } catch (IOException gone) {
            // It has ended before, so there is nobody to be told.
            ALIVE.remove(process);
        }
        boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        ALIVE.remove(process);
        return ended;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        ALIVE.remove(process);
    }

    private static String classPath() {
        String classes = System.getProperty("java.class.path", "");
        String modules = System.getProperty("jdk.module.path", "");
        return modules.isEmpty() ? classes : classes + File.pathSeparator + modules;
    }
}
