package dev.holdfast.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;

/** A terminal that remembers its screen: {@code tmux} with a server of its own. Used by one thread. */
final class Tmux implements AutoCloseable {
    private static final String PROMPT = "ready>";

    private final Path socket;
    private final Map<String, String> environment;

    private Tmux(Path socket, Map<String, String> environment) {
        this.socket = socket;
        this.environment = environment;
    }

    static boolean isMissing() {
        try {
            return new ProcessBuilder("bash", "-c", "type -P tmux >/dev/null")
                            .start()
                            .waitFor()
                    != 0;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot look for tmux", failed);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", ended);
        }
    }

    /** Opens a shell on a screen of 80 columns and 24 rows. */
    static Tmux open(Path directory, Map<String, String> environment) {
        Tmux tmux = new Tmux(directory.resolve("tmux"), environment);
        tmux.call(List.of(
                "new-session",
                "-d",
                "-x",
                "80",
                "-y",
                "24",
                "-c",
                directory.toString(),
                "env PS1='" + PROMPT + " ' bash --norc --noprofile -i"));
        tmux.expect(PROMPT);
        return tmux;
    }

    Tmux type(String line) {
        return text(line).key("Enter");
    }

    Tmux text(String text) {
        call(List.of("send-keys", "-l", text));
        return this;
    }

    Tmux key(String... names) {
        List<String> arguments = new ArrayList<>(List.of("send-keys"));
        arguments.addAll(List.of(names));
        call(arguments);
        return this;
    }

    Tmux resize(int columns, int rows) {
        call(List.of("resize-window", "-x", Integer.toString(columns), "-y", Integer.toString(rows)));
        return this;
    }

    /** {@return what the screen shows, without blanks at the ends of lines} */
    String screen() {
        return call(List.of("capture-pane", "-p"));
    }

    /** Waits until a text is on the screen. */
    Tmux expect(String text) {
        try {
            Sandbox.await().until(() -> screen().contains(text));
            return this;
        } catch (ConditionTimeoutException missing) {
            throw new AssertionError("'" + text + "' does not appear; the screen shows:\n" + screen(), missing);
        }
    }

    /** Waits until a text is not on the screen any more. */
    Tmux expectNo(String text) {
        try {
            Sandbox.await().until(() -> !screen().contains(text));
            return this;
        } catch (ConditionTimeoutException there) {
            throw new AssertionError("'" + text + "' stays; the screen shows:\n" + screen(), there);
        }
    }

    @Override
    public void close() {
        call(List.of("kill-server"));
    }

    private String call(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("tmux", "-u", "-S", socket.toString(), "-f", "/dev/null"));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(Sandbox.withUsualSignals(command)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().remove("TMUX");
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(Sandbox.PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("tmux " + arguments + ": " + output);
            }
            return output;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot call tmux", failed);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", ended);
        }
    }
}
