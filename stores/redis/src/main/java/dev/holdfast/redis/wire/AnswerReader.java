package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads answers of the second version of the protocol, which has no messages in between. Stays awake for the few
 * microseconds that a near server takes to answer. Used by one thread at a time.
 */
final class AnswerReader {
    private static final int BUFFER_BYTES = 8 * 1024;
    private static final int LONGEST_BULK = 64 << 20;
    private static final int LONGEST_LIST = 1 << 20;
    private static final int LONGEST_LINE = 64 * 1024;
    private static final int DEEPEST = 8;

    private final InputStream in;

    /** Null where nobody can tell what has come before it is read, as on an encrypted stream. */
    private final @Nullable ShortWait near;

    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int end;

    AnswerReader(InputStream in, @Nullable ShortWait near) {
        this.in = in;
        this.near = near;
    }

    /** {@return whether a part of an answer is there; if the stream is broken too, for the read will meet that} */
    boolean hasCome() {
        try {
            return at < end || in.available() > 0;
        } catch (IOException broken) {
            return true;
        }
    }

    /**
     * Waits for an answer.
     *
     * @return a number, bytes, a list, null, or a {@link ServerRefusal}
     * @throws IOException if the stream ends, nothing comes in time, or what comes is no answer
     */
    @Nullable
    Object next() throws IOException {
        if (at == end && near != null) {
            near.await(this::hasCome);
        }
        return read(0);
    }

    /** The same for those who stay awake themselves. */
    @Nullable
    Object nextAsleep() throws IOException {
        return read(0);
    }

    private @Nullable Object read(int depth) throws IOException {
        byte kind = readByte();
        return switch (kind) {
            case '+' -> line();
            case '-' -> ServerRefusal.of(new String(line(), StandardCharsets.UTF_8));
            case ':' -> number();
            case '$' -> bulk(length(LONGEST_BULK));
            case '*' -> list(length(LONGEST_LIST), depth);
            default -> throw new IOException("what came is not an answer of Redis");
        };
    }

    private byte @Nullable [] bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bulk = new byte[length];
        int got = 0;
        while (got < length) {
            if (at == end) {
                fill();
            }
            int some = Math.min(length - got, end - at);
            System.arraycopy(buffer, at, bulk, got, some);
            got += some;
            at += some;
        }
        endOfLine();
        return bulk;
    }

    private @Nullable List<@Nullable Object> list(int length, int depth) throws IOException {
        if (length < 0) {
            return null;
        }
        if (depth == DEEPEST) {
            throw new IOException("an answer is nested too deeply");
        }
        List<@Nullable Object> list = new ArrayList<>(Math.min(length, BUFFER_BYTES));
        for (int i = 0; i < length; i++) {
            list.add(read(depth + 1));
        }
        return list;
    }

    private int length(int most) throws IOException {
        long length = number();
        if (length < -1 || length > most) {
            throw new IOException("an answer of length " + length);
        }
        return (int) length;
    }

    private long number() throws IOException {
        byte next = readByte();
        boolean negative = next == '-';
        if (negative) {
            next = readByte();
        }
        long number = 0;
        for (; next != '\r'; next = readByte()) {
            if (next < '0' || next > '9') {
                throw new IOException("an answer with a number that is none");
            }
            number = number * 10 + (next - '0');
        }
        if (readByte() != '\n') {
            throw new IOException("a line of an answer does not end");
        }
        return negative ? -number : number;
    }

    private byte[] line() throws IOException {
        byte[] line = new byte[64];
        int length = 0;
        for (byte next = readByte(); next != '\r'; next = readByte()) {
            if (length == LONGEST_LINE) {
                throw new IOException("a line of an answer is too long");
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length++] = next;
        }
        if (readByte() != '\n') {
            throw new IOException("a line of an answer does not end");
        }
        return Arrays.copyOf(line, length);
    }

    private void endOfLine() throws IOException {
        if (readByte() != '\r' || readByte() != '\n') {
            throw new IOException("a line of an answer does not end");
        }
    }

    private byte readByte() throws IOException {
        if (at == end) {
            fill();
        }
        return buffer[at++];
    }

    private void fill() throws IOException {
        int count = in.read(buffer, 0, buffer.length);
        if (count <= 0) {
            throw new EOFException("the server has closed the connection");
        }
        at = 0;
        end = count;
    }
}
