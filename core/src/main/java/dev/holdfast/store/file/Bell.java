package dev.holdfast.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

/**
 * Wakes one client: others write into a file in its directory, and it watches that directory. It also rings when
 * somebody deletes or replaces a file there, which concerns the client too. A ring can get lost, and a machine has a
 * limited number of watches, so every client also looks by itself now and then.
 */
final class Bell implements AutoCloseable {
    private static final String FILE = "bell";
    private static final byte RING = 1;

    private final WatchService watch;
    private final Thread listener;

    private Bell(WatchService watch, Runnable onRing, String threadName) {
        this.watch = watch;
        this.listener = new SteadyThread(() -> listen(onRing), threadName);
    }

    /** Listens for a client; null if the machine has no watch left for it. */
    static @Nullable Bell hang(Path home, Runnable onRing, String threadName) {
        WatchService watch = null;
        try {
            watch = home.getFileSystem().newWatchService();
            home.register(
                    watch,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_DELETE);
            Bell bell = new Bell(watch, onRing, threadName);
            bell.listener.start();
            return bell;
        } catch (IOException | UnsupportedOperationException noWatch) {
            if (watch != null) {
                Quietly.close(watch);
            }
            return null;
        }
    }

    /** Makes the file beforehand, so that ringing needs no room on a full disk. */
    static void put(StoreDirectory directory, Path home) throws IOException {
        try (FileChannel channel =
                directory.open(home.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {RING}), 0);
        }
    }

    static boolean isAt(Path home) {
        return Files.exists(home.resolve(FILE));
    }

    static void take(Path home) throws IOException {
        Files.deleteIfExists(home.resolve(FILE));
    }

    /** Wakes a client that is perhaps no longer there. */
    static void ring(Path home) {
        try (FileChannel channel = FileChannel.open(home.resolve(FILE), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {RING}), 0);
        } catch (IOException gone) {
            // It has left, or will look by itself.
            return;
        }
    }

    @Override
    public void close() {
        Quietly.close(watch);
        boolean interrupted = false;
        while (listener.isAlive()) {
            try {
                listener.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen(Runnable onRing) {
        try {
            while (true) {
                WatchKey key = watch.take();
                key.pollEvents();
                onRing.run();
                if (!key.reset()) {
                    return;
                }
            }
        } catch (ClosedWatchServiceException closed) {
            return;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
