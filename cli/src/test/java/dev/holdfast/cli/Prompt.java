package dev.holdfast.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionTimeoutException;

/**
 * An interactive shell on a terminal of its own, made with the system's {@code script}. What is typed is followed by
 * waiting for what has to appear. Used by one thread.
 */
final class Prompt implements AutoCloseable {
    /** What is typed must not contain what is expected, because the terminal echoes it. */
    static final String PROMPT = "ready> ";

    private final Process process;
    private final Writer keyboard;
    private final Path screen;

    /** How much of the screen has been looked at. */
    private int seen;

    private Prompt(Process process, Path screen) {
        this.process = process;
        this.keyboard = process.outputWriter(StandardCharsets.UTF_8);
        this.screen = screen;
    }

    /** Starts the shell and waits for its first prompt. */
    static Prompt open(Path screen, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(Sandbox.withUsualSignals(List.of(
                        "script",
                        "--quiet",
                        "--return",
                        "--command",
                        "PS1='" + PROMPT + "' exec bash --norc --noprofile -i",
                        "/dev/null")))
                .directory(screen.getParent().toFile())
                .redirectErrorStream(true)
                .redirectOutput(screen.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("TERM", "dumb");
        try {
            Prompt prompt = new Prompt(builder.start(), screen);
            prompt.expect(PROMPT);
            return prompt;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start script", failed);
        }
    }

    /** Types a line. */
    Prompt type(String line) {
        return press(line + "\n");
    }

    /** Presses keys. */
    Prompt press(String keys) {
        try {
            keyboard.write(keys);
            keyboard.flush();
            return this;
        } catch (IOException gone) {
            throw new UncheckedIOException("the shell is gone; it showed: " + Sandbox.read(screen), gone);
        }
    }

    /** Waits until something appears behind what was expected before. */
    Prompt expect(String text) {
        try {
            Sandbox.await().until(() -> Sandbox.read(screen).indexOf(text, seen) >= 0);
        } catch (ConditionTimeoutException missing) {
            throw new AssertionError(
                    "'" + text + "' does not appear behind " + seen + " in: " + Sandbox.read(screen), missing);
        }
        seen = Sandbox.read(screen).indexOf(text, seen) + text.length();
        return this;
    }

    /** Takes the terminal away, as a lost connection or a closed window does. */
    void hangUp() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
