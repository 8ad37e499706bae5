package dev.holdfast.rig.database;

import dev.holdfast.rig.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A directory that all rigs of this user share and nobody changes: unpacked programs, and freshly initialised data to be
 * copied. It is made once, by whoever needs it first, while the others wait. Thread-safe.
 */
public final class SharedDirectory {
    private SharedDirectory() {}

    /** Fills a directory. */
    @FunctionalInterface
    public interface Maker {
        /**
         * Fills it. The directory gets another name afterwards, so nothing in it may know its path.
         *
         * @param draft exists and is empty
         * @throws IOException if it cannot be filled
         * @throws InterruptedException if interrupted
         */
        void fill(Path draft) throws IOException, InterruptedException;
    }

    /**
     * Finds the directory, or makes it.
     *
     * @param name with the version of what is in it, so that a later version is another directory
     * @param maker fills it if it is not there yet
     * @return the finished directory
     * @throws InterruptedException if interrupted
     */
    public static Path find(String name, Maker maker) throws InterruptedException {
        Path target = Directories.perUser().resolve("bin").resolve(name);
        if (Files.isDirectory(target)) {
            return target;
        }
        // The lock of a file is the process's, so threads of this one have to be kept apart as well.
        synchronized (SharedDirectory.class) {
            try {
                Files.createDirectories(target.getParent());
                try (FileChannel file = FileChannel.open(
                                target.resolveSibling(name + ".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                        FileLock alone = file.lock()) {
                    if (!Files.isDirectory(target) && alone.isValid()) {
                        make(target, maker);
                    }
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(name + " cannot be made ready", failed);
            }
        }
        return target;
    }

    /** Fills another directory and renames it, so that one that was left half-filled by a crash is never taken. */
    private static void make(Path target, Maker maker) throws IOException, InterruptedException {
        Path draft = target.resolveSibling(target.getFileName() + ".part");
        Directories.delete(draft);
        Files.createDirectory(draft);
        maker.fill(draft);
        Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
    }
}
