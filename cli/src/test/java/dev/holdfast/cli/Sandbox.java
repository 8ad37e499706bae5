package dev.holdfast.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A directory with a file store of its own, in which a test starts real {@code holdfast} processes. Whatever is still
 * running when it is closed is ended by its own process id; its watchdog then ends the command. Used by one thread.
 */
final class Sandbox implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The launcher under test. */
    static final String LAUNCHER = System.getProperty("holdfast.launcher");

    /** Older systems have an {@code env} without this option; there tests need a parent that ignores no signal. */
    private static final List<String> RESET_SIGNALS = List.of("env", "--default-signal=HUP,INT,QUIT,TERM");

    private static final boolean RESETS_SIGNALS = canResetSignals();

    /** A signal that stops a process takes its time on a busy machine; until then the process goes on working. */
    private static final String SIGNAL = """
            kill -s "$1" -- "$2" || exit
            [[ $1 = STOP ]] || exit 0
            for try in {1..1000}; do
                grep -sL ') [TtZX] ' /proc/"$2"/task/*/stat | grep -q . || exit 0
                sleep 0.01
            done
            exit 1""";

    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private final List<Launched> launched = new ArrayList<>();
    private final List<Process> servers = new ArrayList<>();

    Sandbox(Path directory) {
        this.directory = directory;
        environment.put("HOLDFAST_DIST", System.getProperty("holdfast.dist"));
        environment.put("HOLDFAST_URL", "file:" + directory.resolve("locks"));
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("HOLDFAST_CLASSPATH", System.getProperty("holdfast.lockServer.classes"));
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10));
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    /** Waits until a process of the test has written a whole line into a file. {@return the line} */
    String line(String name) {
        Path file = path(name);
        await().alias(name + " has a line")
                .until(() -> Files.exists(file) && read(file).endsWith("\n"));
        return read(file).strip();
    }

    /** Changes the environment of what is started from now on. */
    void set(String variable, String value) {
        environment.put(variable, value);
    }

    /** Starts {@code holdfast} with nothing on standard input. */
    Launched holdfast(String... arguments) {
        return start(null, withLauncher(arguments));
    }

    /** Starts {@code holdfast} with a file as standard input. */
    Launched holdfastReading(Path input, String... arguments) {
        return start(input, withLauncher(arguments));
    }

    /** Starts a bash script that finds the launcher in {@code $HOLDFAST}. */
    Launched bash(String script, String... arguments) {
        List<String> command = new ArrayList<>(List.of("bash", "-c", script, "bash"));
        command.addAll(List.of(arguments));
        return start(null, command);
    }

    /** Opens a shell on a terminal that finds the launcher in {@code $HOLDFAST}. */
    Prompt prompt() {
        Map<String, String> withLauncher = new HashMap<>(environment);
        withLauncher.put("HOLDFAST", LAUNCHER);
        return Prompt.open(path("screen"), withLauncher);
    }

    /** Opens a shell on a terminal that remembers its screen, with the launcher in {@code $HOLDFAST}. */
    Tmux tmux() {
        Map<String, String> withLauncher = new HashMap<>(environment);
        withLauncher.put("HOLDFAST", LAUNCHER);
        return Tmux.open(directory, withLauncher);
    }

    /** Starts a lock server, a store with leases, in a process of its own. {@return its URL and process} */
    LockServer lockServer() {
        String classPath = System.getProperty("holdfast.lockServer.classes")
                + File.pathSeparator
                + System.getProperty("java.class.path");
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            classPath,
                            "dev.holdfast.tck.tcp.TcpLockServer")
                    .redirectError(path("server.err").toFile())
                    .start();
            servers.add(process);
            BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            return new LockServer("tcktest://127.0.0.1:" + Integer.parseInt(output.readLine()), process);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start the lock server", failed);
        }
    }

    /**
     * A lock server.
     *
     * @param url where it is
     * @param process its process
     */
    record LockServer(String url, Process process) {}

    /** Sends a signal by the system's own command. After STOP, nothing of the process runs any more. */
    static void signal(String name, long process) {
        try {
            int code = new ProcessBuilder("bash", "-c", SIGNAL, "bash", name, Long.toString(process))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new AssertionError("cannot send " + name + " to " + process);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start bash", failed);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", ended);
        }
    }

    /** Tells whether a process runs or could run: it is there and not a zombie. */
    static boolean isAlive(long process) {
        return state(process).matches("[^ZX]");
    }

    static boolean isStopped(long process) {
        return state(process).equals("T");
    }

    @Override
    public void close() {
        launched.forEach(Launched::close);
        servers.forEach(Process::destroyForcibly);
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    private static String state(long process) {
        try {
            String stat = Files.readString(Path.of("/proc/" + process + "/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
        } catch (IOException gone) {
            return "";
        }
    }

    /**
     * A command whose process does not ignore the signals that tests send. A shell script that starts its tests in the
     * background, and {@code nohup}, have them ignored, and every process passes that on.
     */
    static List<String> withUsualSignals(List<String> command) {
        List<String> whole = new ArrayList<>();
        if (RESETS_SIGNALS) {
            whole.addAll(RESET_SIGNALS);
        }
        whole.addAll(command);
        return whole;
    }

    private static boolean canResetSignals() {
        List<String> probe = new ArrayList<>(RESET_SIGNALS);
        probe.add("true");
        try {
            return new ProcessBuilder(probe)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static List<String> withLauncher(String... arguments) {
        List<String> command = new ArrayList<>(List.of(LAUNCHER));
        command.addAll(List.of(arguments));
        return command;
    }

    private Launched start(Path input, List<String> command) {
        int number = launched.size();
        Path out = path("out-" + number);
        Path err = path("err-" + number);
        ProcessBuilder builder = new ProcessBuilder(withUsualSignals(command))
                .directory(directory.toFile())
                .redirectInput(input == null ? new File("/dev/null") : input.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("HOLDFAST", LAUNCHER);
        try {
            Launched started = new Launched(builder.start(), out, err);
            launched.add(started);
            return started;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start " + command, failed);
        }
    }
}
