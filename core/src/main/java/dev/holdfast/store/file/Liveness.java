package dev.holdfast.store.file;

import dev.holdfast.spi.MonotonicClock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who is alive: each client keeps an empty file locked for as long as it lives, and the system frees that lock when its
 * process ends, however it ends.
 *
 * <p>A process loses its OS locks on a file when any of its descriptors of that file is closed, so a process must never
 * open the file of one of its own clients a second time. Which clients those are stands in the system properties, where
 * copies of this class from other class loaders find it too. A file that is missing was deleted by somebody else; its
 * client notices that within {@link #SELF_CHECK} and gives up, so the others wait somewhat longer than that. Used by the
 * keeper's thread only, which nobody interrupts.
 */
final class Liveness {
    /** How often a client looks whether its own file is still there. */
    static final Duration SELF_CHECK = Duration.ofSeconds(1);

    private static final Duration MISSING_IS_DEAD = Duration.ofSeconds(4);
    private static final String PROPERTY = "dev.holdfast.file.client.";
    private static final String ALIVE = "alive";

    private final StoreDirectory directory;
    private final MonotonicClock clock;
    private final Map<String, Long> missingSince = new HashMap<>();
    private @Nullable FileChannel own;
    private String ownId = "";

    Liveness(StoreDirectory directory, MonotonicClock clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /** Begins to live under an id that nobody else has. Under the directory's lock, before the id is used. */
    void begin(String id) throws IOException {
        Path home = directory.client(id);
        System.setProperty(PROPERTY + id, ALIVE);
        ownId = id;
        try {
            directory.makeDirectory(home);
            Bell.put(directory, home);
            FileChannel channel =
                    directory.open(home.resolve(ALIVE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            own = channel;
            if (channel.tryLock() == null) {
                throw new IOException("'" + home + "' is locked by somebody else");
            }
        } catch (IOException failed) {
            System.clearProperty(PROPERTY + id);
            end(true);
            throw failed;
        }
    }

    /** {@return whether the own file is where others look for it} */
    boolean isSeen() {
        return Files.exists(directory.client(ownId).resolve(ALIVE));
    }

    /** {@return whether a client has certainly ended; what cannot be told yet counts as alive} */
    boolean isDead(String id) throws IOException {
        if (System.getProperty(PROPERTY + id) != null) {
            return false;
        }
        Path file = directory.client(id).resolve(ALIVE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            missingSince.remove(id);
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true);
            return lock != null;
        } catch (OverlappingFileLockException ownProcess) {
            return false;
        } catch (NoSuchFileException deleted) {
            long now = clock.nanos();
            return now - missingSince.computeIfAbsent(id, unknown -> now) > MISSING_IS_DEAD.toNanos();
        }
    }

    /** Removes what a client has left. Under the directory's lock, when it is certainly dead. */
    void bury(String id) {
        missingSince.remove(id);
        Path home = directory.client(id);
        try {
            Files.deleteIfExists(home.resolve(ALIVE));
            Bell.take(home);
            Files.deleteIfExists(home);
        } catch (IOException left) {
            // An empty file that stays harms nobody: the next client that looks around tries again.
            missingSince.remove(id);
        }
    }

    /**
     * Ends the own life: from here on others may take over what it held.
     *
     * @param recorded whether the journal says so already; otherwise the unlocked file stays and says it
     */
    void end(boolean recorded) {
        FileChannel channel = own;
        own = null;
        if (channel != null) {
            Quietly.close(channel);
            System.clearProperty(PROPERTY + ownId);
            if (recorded) {
                bury(ownId);
            }
        }
    }
}
