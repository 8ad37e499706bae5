package dev.holdfast.store.file;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one generation, in order. Written under the directory's lock, read by anybody at any time.
 *
 * <p>An entry is its length, its checksum and its bytes, padded to eight, so that length and checksum are never torn
 * apart by the end of a page. The file is filled with zeros ahead of the entries: a length of zero is the end, and a
 * release has room on a full disk. An entry that does not fit its checksum is either being written in this moment, or
 * was torn by the death of its writer, who has told nobody of it; then it lies behind what the header says is written,
 * and everything behind it is zero. Anything else is damage.
 */
final class Journal implements Closeable {
    /** From this length on the next writer begins a new journal. */
    static final long LONG = 128 * 1024;

    private static final int CHUNK = 64 * 1024;
    private static final int READ_AHEAD = 16 * 1024;
    private static final int HEAD = 8;
    private static final int RESERVE = 16 * 1024;
    private static final int LONGEST_ENTRY = 1 << 29;

    final long generation;
    private final FileChannel channel;
    private ByteBuffer ahead = ByteBuffer.allocate(READ_AHEAD);
    private long position;
    private long firstEntryEnd;

    private Journal(long generation, FileChannel channel) {
        this.generation = generation;
        this.channel = channel;
        ahead.limit(0);
    }

    /** Begins a new generation; it counts once the header names it. */
    static Journal create(StoreDirectory directory, long generation, Entry first) throws IOException {
        Files.deleteIfExists(directory.journal(generation));
        Journal journal = new Journal(
                generation,
                directory.open(
                        directory.journal(generation),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE));
        try {
            journal.append(first, false);
        } catch (IOException failed) {
            journal.close();
            Files.deleteIfExists(directory.journal(generation));
            throw failed;
        }
        return journal;
    }

    static Journal open(StoreDirectory directory, long generation) throws IOException {
        return new Journal(
                generation,
                directory.open(directory.journal(generation), StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /** {@return where the next entry goes} */
    long end() {
        return position;
    }

    /** {@return whether it is worth beginning a new one} */
    boolean isLong() {
        return position > LONG + 2 * firstEntryEnd;
    }

    /** {@return the next entry; null if there is none, or none that is whole yet} */
    @Nullable
    Entry next() throws IOException {
        if (ahead.remaining() < HEAD && !fill(HEAD)) {
            return null;
        }
        int length = ahead.getInt(ahead.position());
        if (length <= 0 || length > LONGEST_ENTRY || (ahead.remaining() < HEAD + length && !fill(HEAD + length))) {
            forgetAhead();
            return null;
        }
        byte[] bytes = new byte[length];
        ahead.get(ahead.position() + HEAD, bytes);
        if (ahead.getInt(ahead.position() + 4) != checksum(bytes)) {
            forgetAhead();
            return null;
        }
        Entry entry = decode(bytes);
        int size = padded(length);
        position += size;
        ahead.position(Math.min(ahead.limit(), ahead.position() + size));
        firstEntryEnd = firstEntryEnd == 0 ? position : firstEntryEnd;
        return entry;
    }

    /**
     * Makes sure, under the lock, that the last entry that was read is the last there is; wipes out an entry that its
     * writer's death has torn.
     *
     * @param written up to where entries were finished, and so cannot be torn
     * @param thorough whether to look at the whole rest of the file and not only at its beginning
     */
    void settleEnd(long written, boolean thorough) throws IOException {
        forgetAhead();
        if (position < written) {
            throw damaged("an entry that was written is unreadable");
        }
        ByteBuffer head = ByteBuffer.allocate(HEAD);
        readFully(head, position);
        if (head.hasRemaining()) {
            throw damaged("it is cut off");
        }
        int length = head.getInt(0);
        if (length == 0 && !thorough) {
            return;
        }
        if (length < 0 || length > LONGEST_ENTRY || position + padded(length) > channel.size()) {
            throw damaged("there is no entry");
        }
        int torn = length == 0 ? 0 : padded(length);
        requireZeros(position + torn);
        if (torn > 0) {
            write(ByteBuffer.allocate(torn), position);
        }
    }

    /**
     * Adds an entry behind the last one that was read; under the lock.
     *
     * @param frees whether the entry frees something: only such may use the room that is kept for a full disk
     */
    void append(Entry entry, boolean frees) throws IOException {
        byte[] bytes = EntryCodec.write(entry);
        int size = padded(bytes.length);
        long room = channel.size() - position;
        if (room < size + RESERVE) {
            try {
                write(ByteBuffer.allocate(size + RESERVE + CHUNK), channel.size());
            } catch (IOException full) {
                if (!frees || channel.size() - position < size + HEAD) {
                    throw full;
                }
            }
        }
        ByteBuffer buffer = ByteBuffer.allocate(size);
        buffer.putInt(bytes.length).putInt(checksum(bytes)).put(bytes).clear();
        write(buffer, position);
        position += size;
        firstEntryEnd = firstEntryEnd == 0 ? position : firstEntryEnd;
        forgetAhead();
    }

    @Override
    public void close() {
        Quietly.close(channel);
    }

    private void requireZeros(long from) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        for (long at = from; at < channel.size(); at += CHUNK) {
            chunk.clear();
            readFully(chunk, at);
            chunk.flip();
            while (chunk.hasRemaining()) {
                if (chunk.get() != 0) {
                    throw damaged("something follows the end");
                }
            }
        }
    }

    private DamagedException damaged(String how) {
        return new DamagedException("'journal-" + generation + "' is damaged at byte " + position + ": " + how);
    }

    /** Reads on from the position, until at least so much is there. */
    private boolean fill(int wanted) throws IOException {
        if (ahead.capacity() < wanted) {
            if (channel.size() - position < wanted) {
                return false;
            }
            ahead = ByteBuffer.allocate(wanted + READ_AHEAD);
        }
        ahead.clear();
        readFully(ahead, position);
        ahead.flip();
        return ahead.remaining() >= wanted;
    }

    private void readFully(ByteBuffer buffer, long from) throws IOException {
        int start = buffer.position();
        while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position() - start) > 0) {
            continue;
        }
    }

    private void write(ByteBuffer buffer, long at) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer, at + buffer.position());
        }
    }

    private void forgetAhead() {
        ahead = ahead.capacity() > READ_AHEAD ? ByteBuffer.allocate(READ_AHEAD) : ahead;
        ahead.clear().limit(0);
    }

    private static Entry decode(byte[] bytes) throws IOException {
        try {
            return EntryCodec.read(bytes);
        } catch (EOFException | IllegalArgumentException malformed) {
            throw new DamagedException("the journal has an entry that is whole but makes no sense (" + malformed + ")");
        }
    }

    private static int padded(int length) {
        return (HEAD + length + 7) & ~7;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
