package dev.holdfast.cli.store;

import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What counts where the command line says nothing: the environment, and below it the configuration file. Immutable.
 *
 * @param environment the environment
 * @param file the configuration file; empty if there is none
 */
public record Settings(Map<String, String> environment, ConfigFile file) {
    /** What can be set. The names in the environment are the same, in capitals, behind {@code HOLDFAST_}. */
    public enum Key {
        URL,
        PASSWORD,
        CLIENT,
        LEASE,
        GRACE;

        public String variable() {
            return "HOLDFAST_" + name();
        }

        /** {@return its name in a file} */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Looks at this process's environment and reads the file.
     *
     * @throws IllegalArgumentException that names the file and the line, if that makes no sense
     */
    public static Settings ofThisProcess() {
        return of(System.getenv());
    }

    static Settings of(Map<String, String> environment) {
        String named = environment.getOrDefault("HOLDFAST_CONFIG", "");
        if (!named.isEmpty()) {
            return new Settings(environment, ConfigFile.read(Path.of(named)));
        }
        Optional<Path> usual = usualFile(environment).filter(Files::exists);
        return new Settings(environment, usual.map(ConfigFile::read).orElseGet(ConfigFile::none));
    }

    /** {@return the value, of the environment or else of the file} */
    Optional<String> get(Key key) {
        String given = environment.getOrDefault(key.variable(), "");
        return given.isEmpty() ? file.get(key) : Optional.of(given);
    }

    /** Chooses a duration: the option, or else what is set, or else the usual one. */
    public Duration duration(@Nullable Duration option, Key key, Duration usual) {
        if (option != null) {
            return option;
        }
        String given = environment.getOrDefault(key.variable(), "");
        if (!given.isEmpty()) {
            try {
                return Durations.parse(given);
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException(key.variable() + ": " + malformed.getMessage(), malformed);
            }
        }
        return file.get(key).map(Durations::parse).orElse(usual);
    }

    /**
     * Warns on standard error if others can read a password in the file. It is not refused: it may be a service's that
     * shares the file with its administrators.
     */
    void warnOfReadablePassword() {
        if (!file.holdsSecret()) {
            return;
        }
        try {
            boolean others = Files.getPosixFilePermissions(file.path()).stream()
                    .anyMatch(right ->
                            right.name().endsWith("_READ") && !right.name().startsWith("OWNER"));
            if (others) {
                System.err.println(
                        "holdfast: warning: " + Printable.of(file.path().toString())
                                + " holds a password and can be read by others; use 'chmod 600' on it");
            }
        } catch (IOException | UnsupportedOperationException unknown) {
            System.err.println("holdfast: warning: cannot tell who may read the password in "
                    + Printable.of(file.path().toString()));
        }
    }

    /** The XDG directory for configuration; relative paths there are to be ignored. */
    private static Optional<Path> usualFile(Map<String, String> environment) {
        String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        if (config.startsWith("/")) {
            return Optional.of(Path.of(config, "holdfast", "config"));
        }
        return home.startsWith("/") ? Optional.of(Path.of(home, ".config", "holdfast", "config")) : Optional.empty();
    }
}
