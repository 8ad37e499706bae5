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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who is alive: each client keeps an empty file locked for as long as it lives, and the system frees that lock when its
 * process ends, however it ends.
 *
 * <p>A process loses its OS locks on a file when any of its descriptors of that file is closed, so a process must never
 * open the file of one of its own clients a second time. Which clients those are stands in a set, and in the system
 * properties, where copies of this class from other class loaders find it too; the set is there for programs that
 * replace their system properties. A file that is missing was deleted by somebody else; its client notices that within
 * {@link #SELF_CHECK} and gives up, so the others wait somewhat longer than that. Used by the keeper's thread only,
 * which nobody can interrupt.
 */
final class Liveness {
    /** How often a client looks whether its own file is still there. */
    static final Duration SELF_CHECK = Duration.ofSeconds(1);

    private static final Duration MISSING_IS_DEAD = Duration.ofSeconds(4);
    private static final String PROPERTY = "dev.holdfast.file.client.";
    private static final String ALIVE = "alive";

    /** The living clients of this process, as far as this copy of the class knows them. */
    private static final Set<String> OWN = ConcurrentHashMap.newKeySet();

    private final StoreDirectory directory;
    private final MonotonicClock clock;
    private final Map<String, Long> missingSince = new HashMap<>();
    private @Nullable FileChannel own;
    private @Nullable Object ownIdentity;
    private String ownId = "";

    Liveness(StoreDirectory directory, MonotonicClock clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Begins to live under an id that nobody else has. Under the directory's lock, before the id is used. The locked
     * file comes first and the bell last, and {@link #bury} goes the other way: who is killed in between leaves a file
     * that is not locked, or a {@linkplain #isRemnant remnant}.
     */
    void begin(String id) throws IOException {
        Path home = directory.client(id);
        ownId = id;
        OWN.add(id);
        System.setProperty(PROPERTY + id, ALIVE);
        try {
            directory.makeDirectory(directory.clients());
            directory.makeDirectory(home);
            Path file = home.resolve(ALIVE);
            FileChannel channel = directory.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            own = channel;
            if (channel.tryLock() == null) {
                throw new IOException("'" + home + "' is locked by somebody else");
            }
            ownIdentity = StoreDirectory.identityOf(file);
            Bell.put(directory, home);
        } catch (IOException failed) {
            end(true);
            throw failed;
        }
    }

    /** {@return whether the own file is where others look for it, and is the one that is locked} */
    boolean isSeen() throws IOException {
        Object seen = StoreDirectory.identityOf(directory.client(ownId).resolve(ALIVE));
        return seen != null && seen.equals(ownIdentity);
    }

    /** {@return whether a client has certainly ended; what cannot be told yet counts as alive} */
    boolean isDead(String id) throws IOException {
        if (OWN.contains(id) || System.getProperty(PROPERTY + id) != null) {
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

    /**
     * {@return whether a client's directory was left by one that was killed while it began or while it was buried}
     * Such a client has no claims.
     */
    boolean isRemnant(String id) {
        Path home = directory.client(id);
        return !Files.exists(home.resolve(ALIVE)) && !Bell.isAt(home);
    }

    /** Removes what a client has left. Under the directory's lock, when it is certainly dead. */
    void bury(String id) {
        missingSince.remove(id);
        Path home = directory.client(id);
        try {
            Bell.take(home);
            Files.deleteIfExists(home.resolve(ALIVE));
            Files.deleteIfExists(home);
        } catch (IOException left) {
            // An empty file that stays harms nobody: the next client that looks around tries again.
            missingSince.remove(id);
        }
    }

    /**
     * Ends the own life: from here on others may take over what it held.
     *
     * @param recorded whether the journal says so already, or knows nothing of it; otherwise the unlocked file stays
     *     and says it
     */
    void end(boolean recorded) {
        FileChannel channel = own;
        own = null;
        ownIdentity = null;
        if (channel != null) {
            Quietly.close(channel);
        }
        System.clearProperty(PROPERTY + ownId);
        OWN.remove(ownId);
        if (recorded && !ownId.isEmpty()) {
            bury(ownId);
        }
        ownId = "";
    }
}
