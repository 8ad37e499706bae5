package dev.holdfast.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the lock file says: which journal is the current one, how far it is written, and in which life of the machine
 * that was. Changed under the directory's lock only, by one small write.
 *
 * @param format the form of all files in the directory
 * @param generation the number of the current journal
 * @param boot the machine's life; empty where that cannot be known
 * @param end up to where the journal was written by steps that have come to their end; there may be more
 */
record Header(int format, long generation, String boot, long end) {
    static final int FORMAT = 1;

    private static final long MAGIC = 0x484F4C4446415354L;
    private static final int BOOT_BYTES = 40;
    private static final int SIZE = 8 + 4 + 8 + 8 + 4 + BOOT_BYTES + 8;

    /** What can be read in place of a header. */
    enum Flaw {
        /** Nothing was ever written. */
        EMPTY,
        /** Something that is no header. */
        DAMAGED
    }

    /** Either a header or why there is none. */
    record Reading(@Nullable Header header, Flaw flaw) {}

    static Reading read(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(SIZE);
        int read = channel.read(buffer, 0);
        if (read <= 0) {
            return new Reading(null, Flaw.EMPTY);
        }
        buffer.flip();
        if (read < SIZE || buffer.getLong(SIZE - 8) != checksum(buffer.array()) || buffer.getLong() != MAGIC) {
            return new Reading(null, Flaw.DAMAGED);
        }
        int format = buffer.getInt();
        long generation = buffer.getLong();
        long end = buffer.getLong();
        byte[] boot = new byte[Math.min(BOOT_BYTES, buffer.getInt())];
        buffer.get(boot);
        String life = new String(boot, StandardCharsets.US_ASCII);
        return new Reading(new Header(format, generation, life, end), Flaw.DAMAGED);
    }

    void write(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(SIZE);
        byte[] bootBytes = boot.getBytes(StandardCharsets.US_ASCII);
        buffer.putLong(MAGIC).putInt(format).putLong(generation).putLong(end).putInt(bootBytes.length);
        buffer.put(bootBytes);
        buffer.putLong(SIZE - 8, checksum(buffer.array()));
        buffer.clear();
        while (buffer.hasRemaining()) {
            channel.write(buffer, buffer.position());
        }
    }

    private static long checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, SIZE - 8);
        return crc.getValue();
    }
}
