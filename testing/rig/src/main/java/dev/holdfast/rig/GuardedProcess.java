package dev.holdfast.rig;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A child process that does not outlive this JVM, whatever ends it: {@code guard.sh} is its parent and kills it when the
 * pipe from this JVM breaks. Signals go to the server and to the processes it has started itself. Thread-safe.
 */
final class GuardedProcess {
    /** The state of a thread that is stopped, or has ended. */
    private static final Pattern STILL = Pattern.compile("\\) [TtZX] ");

    private static final Duration TIME_TO_DIE = Duration.ofSeconds(20);
    private static final String GUARD = script();

    /** The shell; its end is the end of the server. */
    private final Process guard;

    private final ProcessHandle server;

    private GuardedProcess(Process guard, ProcessHandle server) {
        this.guard = guard;
        this.server = server;
    }

    /** Starts a command whose output is added to a log. */
    static GuardedProcess start(List<String> command, Path directory, Path log) throws IOException {
        List<String> words = new ArrayList<>(List.of("sh", "-c", GUARD, "guard"));
        words.addAll(command);
        Process guard = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectError(Redirect.appendTo(log.toFile()))
                .start();
        BufferedReader output = guard.inputReader(StandardCharsets.UTF_8);
        String pid = output.readLine();
        if (pid == null) {
            throw new IOException("the guard ended before it had started " + command.get(0));
        }
        // A server that has ended already is told apart by its guard, which ends with it.
        ProcessHandle server = ProcessHandle.of(Long.parseLong(pid)).orElseGet(guard::toHandle);
        return new GuardedProcess(guard, server);
    }

    long pid() {
        return server.pid();
    }

    boolean isAlive() {
        return guard.isAlive();
    }

    /** Asks it to end with a signal, and waits. Returns whether it did. */
    boolean terminate(String signal, Duration patience) throws InterruptedException {
        send(signal, Long.toString(server.pid()));
        return guard.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends it without any chance to clean up, and waits until it is gone. Paused processes end as well. */
    void kill() throws InterruptedException {
        List<ProcessHandle> all = everyProcess().toList();
        all.forEach(ProcessHandle::destroyForcibly);
        if (!guard.waitFor(TIME_TO_DIE.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new RigException("process " + pid() + " was killed but is not gone");
        }
        // Its children have memory and files in common with it, so it could not be started again beside them.
        Eventually.await(
                "the end of all processes of " + pid(),
                TIME_TO_DIE,
                () -> all.stream().allMatch(GuardedProcess::hasEnded));
    }

    /** Sends STOP or CONT. After STOP, nothing of it runs any more when this returns. */
    void signal(String signal) throws InterruptedException {
        List<ProcessHandle> all = everyProcess().toList();
        if (all.isEmpty()) {
            throw new RigException("a process that has ended cannot be sent " + signal);
        }
        for (ProcessHandle process : all) {
            int status = send(signal, Long.toString(process.pid()));
            // A child of the server may end at any moment.
            if (status != 0 && !(process.pid() != server.pid() && hasEnded(process))) {
                throw new RigException("kill -" + signal + " " + process.pid() + " ended with " + status);
            }
        }
        if (signal.equals("STOP")) {
            for (ProcessHandle process : all) {
                Eventually.await("the stop of process " + process.pid(), TIME_TO_DIE, () -> hasStopped(process));
            }
        }
    }

    /** On a busy machine a signal takes its time, and until then a process goes on answering. */
    private static boolean hasStopped(ProcessHandle process) {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        if (!Files.exists(threads)) {
            return true;
        }
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(thread -> isStill(thread.resolve("stat")));
        } catch (IOException | UncheckedIOException ended) {
            return !process.isAlive();
        }
    }

    private static boolean isStill(Path status) {
        try {
            return STILL.matcher(Files.readString(status)).find();
        } catch (IOException ended) {
            return true;
        }
    }

    private static int send(String signal, String pids) throws InterruptedException {
        try {
            // The shell's own kill, because not every machine has the command.
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pids)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            return kill.waitFor();
        } catch (IOException failed) {
            throw new UncheckedIOException("there is no shell to send a signal with", failed);
        }
    }

    /** The server first, so that it cannot replace a child that is ended. */
    private Stream<ProcessHandle> everyProcess() {
        return guard.isAlive() ? Stream.concat(Stream.of(server), server.descendants()) : Stream.empty();
    }

    /** A process without a parent may stay in the table of processes when nobody collects it; it has ended all the same. */
    private static boolean hasEnded(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        Path status = Path.of("/proc", Long.toString(process.pid()), "stat");
        try {
            return Files.exists(status) && Files.readString(status).contains(") Z ");
        } catch (IOException unreadable) {
            return !process.isAlive();
        }
    }

    private static String script() {
        try (InputStream script = GuardedProcess.class.getResourceAsStream("guard.sh")) {
            if (script == null) {
                throw new IllegalStateException("guard.sh is not on the class path");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException("guard.sh cannot be read", failed);
        }
    }
}
