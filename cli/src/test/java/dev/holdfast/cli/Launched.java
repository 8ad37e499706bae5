package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A {@code holdfast} process. Used by one thread. */
final class Launched implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;

    Launched(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    long pid() {
        return process.pid();
    }

    /** Waits for the end. {@return the exit code} */
    int exitCode() {
        return exitCode(Sandbox.PATIENCE);
    }

    /** Waits for the end of something that may take its time. {@return the exit code} */
    int exitCode(Duration patience) {
        try {
            if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("holdfast does not end; it said: " + out() + err());
            }
            return process.exitValue();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", ended);
        }
    }

    /** Waits for the end and checks that all is well. {@return what it printed} */
    String output() {
        assertThat(exitCode()).as("exit code; it said: %s", err()).isZero();
        assertThat(err()).isEmpty();
        return out();
    }

    String out() {
        return Sandbox.read(out);
    }

    String err() {
        return Sandbox.read(err);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the helper process that runs a script, such as the watchdog. {@return its process id} */
    long helper(String script) {
        return Sandbox.await().alias(script).until(() -> find(script), found -> found > 0);
    }

    /** Tells whether it has started a program that still runs. */
    boolean isWaitingFor(String program) {
        return process.children()
                .anyMatch(child -> child.info().command().orElse("").endsWith("/" + program));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private long find(String script) {
        return process.children()
                .filter(child -> child.info().commandLine().orElse("").contains("/libexec/" + script))
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElse(0);
    }
}
