package dev.holdfast.store.file;

import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Epochs, reserved on the disk in blocks before the first of a block is used, so that none is given twice although the
 * journal itself is not forced to the disk.
 *
 * <p>There are two slots, written in turn, and never more than one block apart. A slot that cannot be read may have been
 * one block ahead of the other, so the block behind the readable slot is skipped. If neither can be read, nothing is
 * granted: tokens could repeat. Used under the directory's lock only.
 */
final class EpochBlocks {
    static final long BLOCK = 1 << 20;

    private static final int SLOTS = 2;
    private static final long MAGIC = 0x484F4C4445504F43L;
    private static final int SIZE = 24;
    private static final long MICROS_LIMIT = 1L << 50;

    private final StoreDirectory directory;

    EpochBlocks(StoreDirectory directory) {
        this.directory = directory;
    }

    boolean areReadable() throws IOException {
        return read(0) != null || read(1) != null;
    }

    /** {@return whether there is a slot to spare; if not, reserving makes one} */
    boolean areWhole() throws IOException {
        return read(0) != null && read(1) != null;
    }

    /** Begins at the wall clock, so that a directory that was deleted and made again goes on upwards. */
    void create() throws IOException {
        long micros = MachineTime.microsSince2025();
        long start = micros > 0 && micros < MICROS_LIMIT ? micros : 1;
        for (int slot = 0; slot < SLOTS; slot++) {
            write(slot, start);
        }
        directory.force();
    }

    /** {@return the end of what is reserved: larger than every epoch that was ever given} */
    long end() throws IOException {
        Long first = read(0);
        Long second = read(1);
        if (first == null && second == null) {
            throw new StoreMisconfiguredException("both epoch files in '" + directory.path() + "' are unreadable, so"
                    + " fencing tokens could repeat; restore them from a backup, or, if nothing compares tokens of this"
                    + " directory, delete the whole directory");
        }
        long known = Math.max(first == null ? 0 : first, second == null ? 0 : second);
        return first == null || second == null ? known + BLOCK : known;
    }

    /**
     * Reserves one more block.
     *
     * @param used all epochs below this one were given already; less than {@link #end()}, unless somebody has put older
     *     files in place
     * @return its end
     */
    long reserve(long used) throws IOException {
        long known = end();
        long start = Math.max(known, used);
        Long first = read(0);
        Long second = read(1);
        int older = first == null || (second != null && first <= second) ? 0 : 1;
        if (first == null || second == null || start > known) {
            // The slot that lags goes first, so that one of the two is always whole and they stay one block apart.
            write(older, start);
            directory.force();
            older = SLOTS - 1 - older;
        }
        write(older, start + BLOCK);
        return start + BLOCK;
    }

    /** {@return what the slot says, null if it is unreadable} */
    private @Nullable Long read(int slot) throws IOException {
        Path file = directory.epochs(slot);
        if (!Files.exists(file)) {
            return null;
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length != SIZE) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long end = buffer.getLong(8);
        return buffer.getLong(0) == MAGIC && buffer.getLong(16) == checksum(bytes) && end > 0 ? end : null;
    }

    private void write(int slot, long end) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(SIZE).putLong(MAGIC).putLong(end);
        buffer.putLong(16, checksum(buffer.array())).clear();
        try (FileChannel channel =
                directory.open(directory.epochs(slot), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.truncate(SIZE);
            while (buffer.hasRemaining()) {
                channel.write(buffer, buffer.position());
            }
            channel.force(true);
        }
    }

    private static long checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, 16);
        return crc.getValue();
    }
}
