package dev.holdfast.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Where the rig keeps files. */
public final class Directories {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private Directories() {}

    /** {@return what all rigs of this user share: extracted binaries and the reserved ports; perhaps not there yet} */
    public static Path perUser() {
        String user = System.getProperty("user.name", "nobody").replaceAll("[^A-Za-z0-9._-]", "_");
        return Path.of(System.getProperty("java.io.tmpdir"), "holdfast-rig-" + user);
    }

    /** Makes a new directory: in the module's build directory if there is one, so that a clean build removes it. */
    static Path fresh() {
        Path build = Path.of("target").toAbsolutePath();
        Path parent =
                Files.isDirectory(build) ? build.resolve("rig") : perUser().resolve("runs");
        Path fresh =
                parent.resolve(ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet() + "-" + System.nanoTime());
        try {
            return Files.createDirectories(fresh);
        } catch (IOException failed) {
            throw new UncheckedIOException("the rig's directory cannot be made", failed);
        }
    }

    /**
     * Deletes a directory and all that is in it.
     *
     * @param directory may be absent
     * @throws IOException if something cannot be deleted
     */
    public static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
