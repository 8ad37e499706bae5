package dev.holdfast.store.file;

import dev.holdfast.spi.MonotonicClock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The short lock over a store's directory: an OS lock between processes and a monitor inside of one.
 *
 * <p>A process loses its OS locks on a file when any of its descriptors of that file is closed. Therefore the file is
 * also closed under the monitor, and the monitor is an interned string: the same object for every copy of this class
 * that some class loader of the JVM has made. Only tries the OS lock, because a blocked request could not be timed out
 * and would take part in the kernel's search for deadlocks. Used by the keeper's thread only, which nobody can
 * interrupt.
 */
final class DirectoryLock implements Closeable {
    private static final long FIRST_PAUSE_NANOS = 20_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;

    private final Path file;
    private final String monitor;
    private final MonotonicClock clock;
    private final FileChannel channel;
    private final @Nullable Object identity;

    /** What is done under the lock. */
    interface Step<R> {
        R run() throws IOException;
    }

    private DirectoryLock(Path file, String monitor, MonotonicClock clock, FileChannel channel) throws IOException {
        this.file = file;
        this.monitor = monitor;
        this.clock = clock;
        this.channel = channel;
        this.identity = StoreDirectory.identityOf(file);
    }

    static DirectoryLock open(StoreDirectory directory, MonotonicClock clock) throws IOException {
        Path file = directory.lockFile();
        String monitor = ("dev.holdfast.store.file " + file).intern();
        synchronized (monitor) {
            FileChannel channel =
                    directory.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                return new DirectoryLock(file, monitor, clock, channel);
            } catch (IOException failed) {
                Quietly.close(channel);
                throw failed;
            }
        }
    }

    FileChannel channel() {
        return channel;
    }

    /** {@return whether the file is still the one that others lock, and was not deleted or replaced} */
    boolean isCurrent() throws IOException {
        return identity != null && identity.equals(StoreDirectory.identityOf(file));
    }

    /** Runs a step under the lock. Fails, with nothing done, if that cannot be had until the deadline. */
    <R> R hold(long deadlineNanos, Step<R> step) throws IOException {
        synchronized (monitor) {
            FileLock lock = take(deadlineNanos);
            try {
                return step.run();
            } finally {
                lock.release();
            }
        }
    }

    @Override
    public void close() {
        synchronized (monitor) {
            Quietly.close(channel);
        }
    }

    private FileLock take(long deadlineNanos) throws IOException {
        long pause = FIRST_PAUSE_NANOS;
        while (true) {
            FileLock lock = tryLock();
            if (lock != null) {
                return lock;
            }
            if (clock.nanos() >= deadlineNanos) {
                throw new IOException("another process keeps '" + file + "' locked for longer than the command timeout;"
                        + " it may be stopped: let it go on, or end it");
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
        }
    }

    private @Nullable FileLock tryLock() throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException otherCopy) {
            return null;
        }
    }
}
