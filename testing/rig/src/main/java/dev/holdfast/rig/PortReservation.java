package dev.holdfast.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of the loopback interface that no other rig of this user takes while it is reserved, not even while the server
 * on it is down. Every port is one byte of one file, locked by the process that has the port; the lock ends with the
 * process. The ports lie below those that systems give to outgoing connections, so that none of these can take one.
 * Thread-safe.
 */
public final class PortReservation implements AutoCloseable {
    private static final int FIRST = 20_000;
    private static final int COUNT = 12_000;
    private static final int MOST_TRIES = 500;

    private final int port;
    private final FileLock lock;

    private PortReservation(int port, FileLock lock) {
        this.port = port;
        this.lock = lock;
    }

    /** {@return a port that was free a moment ago, reserved} */
    public static PortReservation take() {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Optional<PortReservation> taken =
                    attempt(FIRST + ThreadLocalRandom.current().nextInt(COUNT));
            if (taken.isPresent()) {
                return taken.get();
            }
        }
        throw new RigException("no free port was found from " + FIRST + " to " + (FIRST + COUNT - 1));
    }

    static Optional<PortReservation> attempt(int port) {
        try {
            FileLock lock = Locks.FILE.tryLock(port, 1, false);
            if (lock == null) {
                return Optional.empty();
            }
            if (!isFree(port)) {
                lock.release();
                return Optional.empty();
            }
            return Optional.of(new PortReservation(port, lock));
        } catch (OverlappingFileLockException reservedInThisProcess) {
            return Optional.empty();
        } catch (IOException failed) {
            throw new UncheckedIOException("the file of reserved ports cannot be locked", failed);
        }
    }

    /** {@return the port} */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        try {
            lock.release();
        } catch (IOException failed) {
            throw new UncheckedIOException("port " + port + " cannot be given back", failed);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** Opened once and never closed: closing any descriptor of the file would drop all locks of the process. */
    private static final class Locks {
        private static final FileChannel FILE = open();

        private static FileChannel open() {
            try {
                Path directory = Directories.perUser();
                Files.createDirectories(directory);
                return FileChannel.open(
                        directory.resolve("ports"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            } catch (IOException failed) {
                throw new UncheckedIOException("the file of reserved ports cannot be opened", failed);
            }
        }
    }
}
