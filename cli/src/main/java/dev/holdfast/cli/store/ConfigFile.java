package dev.holdfast.cli.store;

import dev.holdfast.cli.console.Durations;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A configuration file: lines of the form {@code key = value}, empty lines, and lines that begin with {@code #}. A value
 * is everything behind the equals sign, because URLs have every other character. Messages never quote a value: it may be
 * a secret. Immutable.
 */
final class ConfigFile {
    private static final int MOST_LINES = 10_000;
    private static final String PASSWORD_IN_URL = "//[^/@]*:[^/@]+@|(?i:(?:password|pwd|secret)[^=&;]*=)[^&;]";

    private final Path path;
    private final Map<Settings.Key, String> values;

    private ConfigFile(Path path, Map<Settings.Key, String> values) {
        this.path = path;
        this.values = values;
    }

    static ConfigFile none() {
        return new ConfigFile(Path.of(""), Map.of());
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException that names the file and the line, if that makes no sense
     */
    static ConfigFile read(Path path) {
        List<String> lines;
        try {
            lines = Files.readAllLines(path);
        } catch (NoSuchFileException missing) {
            throw new IllegalArgumentException("there is no configuration file " + path, missing);
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("the configuration file " + path + " is not UTF-8", malformed);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("the configuration file " + path + " cannot be read", unreadable);
        }
        if (lines.size() > MOST_LINES) {
            throw new IllegalArgumentException(path + " has more than " + MOST_LINES + " lines");
        }
        Map<Settings.Key, String> values = new EnumMap<>(Settings.Key.class);
        for (int number = 1; number <= lines.size(); number++) {
            take(path, number, lines.get(number - 1).strip(), values);
        }
        return new ConfigFile(path, values);
    }

    private static void take(Path path, int number, String line, Map<Settings.Key, String> values) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        String where = path + ", line " + number + ": ";
        int equals = line.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException(where + "a setting has the form 'key = value'");
        }
        Settings.Key key = key(where, line.substring(0, equals).strip());
        String value = line.substring(equals + 1).strip();
        if (value.isEmpty()) {
            throw new IllegalArgumentException(where + "'" + key.word() + "' has no value");
        }
        if (values.putIfAbsent(key, value) != null) {
            throw new IllegalArgumentException(where + "'" + key.word() + "' is set twice");
        }
        if (key == Settings.Key.LEASE || key == Settings.Key.GRACE) {
            try {
                Durations.parse(value);
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException(where + malformed.getMessage(), malformed);
            }
        }
    }

    private static Settings.Key key(String where, String word) {
        for (Settings.Key key : Settings.Key.values()) {
            if (key.word().equals(word)) {
                return key;
            }
        }
        throw new IllegalArgumentException(
                where + "there is no setting of that name; there are url, password, client, lease and grace");
    }

    Path path() {
        return path;
    }

    Optional<String> get(Settings.Key key) {
        return Optional.ofNullable(values.get(key));
    }

    boolean holdsSecret() {
        return values.containsKey(Settings.Key.PASSWORD)
                || get(Settings.Key.URL)
                        .filter(url ->
                                Pattern.compile(PASSWORD_IN_URL).matcher(url).find())
                        .isPresent();
    }
}
