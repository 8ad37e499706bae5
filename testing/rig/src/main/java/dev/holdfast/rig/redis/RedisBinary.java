package dev.holdfast.rig.redis;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.Directories;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server's executable: named by {@code HOLDFAST_TEST_REDIS_SERVER}, or the one for this platform out of the
 * {@code embedded-redis} jar, extracted once for each user.
 */
final class RedisBinary {
    static final String ENVIRONMENT = "HOLDFAST_TEST_REDIS_SERVER";
    private static final String VERSION = "7.0.15";
    private static final Pattern MAJOR_VERSION = Pattern.compile("v=([0-9]+)\\.");
    private static final Map<Path, Boolean> OTHERS = new ConcurrentHashMap<>();

    private RedisBinary() {}

    /** Throws {@link CannotRunException} where there is none. */
    static Path find() {
        String given = System.getenv(ENVIRONMENT);
        if (given != null && !given.isBlank()) {
            Path executable = Path.of(given);
            if (!Files.isExecutable(executable)) {
                throw new IllegalArgumentException(ENVIRONMENT + " names no executable file: " + given);
            }
            return executable;
        }
        String resource = "redis-server-" + VERSION + "-" + platform();
        try (InputStream binary = RedisBinary.class.getResourceAsStream("/" + resource)) {
            if (binary == null) {
                throw new CannotRunException("There is no Redis binary for " + platform() + " on the class path; set "
                        + ENVIRONMENT + " to a redis-server of version 7 to run these tests.");
            }
            return extract(binary, Directories.perUser().resolve("bin").resolve(resource));
        } catch (IOException failed) {
            throw new UncheckedIOException("the Redis binary cannot be extracted", failed);
        }
    }

    /** Whether a server has the settings that came with Redis 7; asked of the server itself. */
    static boolean isSeven(Path executable) {
        return OTHERS.computeIfAbsent(executable, RedisBinary::asksForItsVersion);
    }

    private static boolean asksForItsVersion(Path executable) {
        if (executable.getFileName().toString().startsWith("redis-server-" + VERSION)) {
            return true;
        }
        try {
            Process process = new ProcessBuilder(executable.toString(), "--version").start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = MAJOR_VERSION.matcher(said);
            return !version.find() || Integer.parseInt(version.group(1)) >= 7;
        } catch (IOException failed) {
            throw new UncheckedIOException("the Redis binary cannot be asked for its version", failed);
        }
    }

    /** Writes beside the target and renames, so that nobody ever starts half a file or one that is being written. */
    private static Path extract(InputStream binary, Path target) throws IOException {
        if (Files.isExecutable(target)) {
            return target;
        }
        Files.createDirectories(target.getParent());
        Path draft = Files.createTempFile(target.getParent(), "redis", ".part");
        try {
            Files.copy(binary, draft, StandardCopyOption.REPLACE_EXISTING);
            if (!draft.toFile().setExecutable(true)) {
                throw new CannotRunException("Files in " + target.getParent() + " cannot be made executable.");
            }
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException somebodyWasFaster) {
            return target;
        } finally {
            Files.deleteIfExists(draft);
        }
        return target;
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String os = system.contains("linux") ? "linux" : system.contains("mac") ? "darwin" : system.replace(' ', '-');
        String arch = switch (machine) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> machine;
        };
        return os + "-" + arch;
    }
}
