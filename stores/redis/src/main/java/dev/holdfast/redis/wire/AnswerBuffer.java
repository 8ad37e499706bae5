package dev.holdfast.redis.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server has sent so far, and the answers in it, of the second version of the protocol, which has no messages in
 * between. An answer is taken out when all of it has come. Used by one thread at a time.
 */
public final class AnswerBuffer {
    /** What there is instead of an answer while the rest of it is on its way; an answer may be null. */
    public static final Object INCOMPLETE = new Object();

    private static final int USUAL_SIZE = 1_024;
    private static final int LARGEST_SIZE = 64 << 20;
    private static final int DEEPEST = 8;
    private static final int LONGEST_LIST = 1 << 20;
    private static final int LONGEST_LINE = 64 << 10;

    private ByteBuffer bytes = ByteBuffer.allocate(USUAL_SIZE);
    private int from;
    private int to;
    private int at;

    /** {@return where at least so many bytes can be put; {@link #added} says how many were} */
    public ByteBuffer room(int least) throws IOException {
        if (from == to) {
            from = 0;
            to = 0;
        }
        if (bytes.capacity() - to < least) {
            int needed = to - from + least;
            if (needed > LARGEST_SIZE) {
                throw new IOException("an answer is longer than " + LARGEST_SIZE + " bytes");
            }
            int size = needed <= bytes.capacity() ? bytes.capacity() : Integer.highestOneBit(needed) << 1;
            byte[] moved = Arrays.copyOf(Arrays.copyOfRange(bytes.array(), from, to), size);
            bytes = ByteBuffer.wrap(moved);
            to -= from;
            from = 0;
        }
        return bytes.limit(bytes.capacity()).position(to);
    }

    /** {@return the same, for as many as usually come} */
    public ByteBuffer room() throws IOException {
        return room(USUAL_SIZE / 2);
    }

    /** Notes how many bytes were put there. */
    public void added(int count) {
        to += count;
    }

    /** {@return whether a part of an answer is there} */
    boolean hasSome() {
        return from < to;
    }

    /**
     * Takes the next answer out.
     *
     * @return a number, bytes, a list, null, or the exception that says why the command was refused; {@link #INCOMPLETE}
     *     if not all of it has come
     * @throws IOException if it is no answer
     */
    @Nullable
    public Object next() throws IOException {
        at = from;
        Object reply = from == to ? INCOMPLETE : read(0);
        if (reply != INCOMPLETE) {
            from = at;
        }
        if (from == to && bytes.capacity() > USUAL_SIZE * USUAL_SIZE) {
            bytes = ByteBuffer.allocate(USUAL_SIZE);
        }
        return reply;
    }

    private @Nullable Object read(int depth) throws IOException {
        int end = endOfLine();
        if (end < 0) {
            return INCOMPLETE;
        }
        byte kind = bytes.get(at);
        int begin = at + 1;
        at = end + 2;
        return switch (kind) {
            case '+' -> Arrays.copyOfRange(bytes.array(), begin, end);
            case '-' -> ServerRefusal.of(new String(bytes.array(), begin, end - begin, StandardCharsets.UTF_8));
            case ':' -> number(begin, end);
            case '$' -> bulk((int) bounded(begin, end, LARGEST_SIZE));
            case '*' -> list((int) bounded(begin, end, LONGEST_LIST), depth);
            default -> throw new IOException("what came is not an answer of Redis");
        };
    }

    private @Nullable Object bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        if (to - at < length + 2) {
            return INCOMPLETE;
        }
        if (bytes.get(at + length) != '\r' || bytes.get(at + length + 1) != '\n') {
            throw new IOException("a line of an answer does not end");
        }
        byte[] bulk = Arrays.copyOfRange(bytes.array(), at, at + length);
        at += length + 2;
        return bulk;
    }

    private @Nullable Object list(int length, int depth) throws IOException {
        if (length < 0) {
            return null;
        }
        if (depth == DEEPEST) {
            throw new IOException("an answer is nested too deeply");
        }
        List<@Nullable Object> list = new ArrayList<>(Math.min(length, USUAL_SIZE));
        for (int i = 0; i < length; i++) {
            Object item = at == to ? INCOMPLETE : read(depth + 1);
            if (item == INCOMPLETE) {
                return INCOMPLETE;
            }
            list.add(item);
        }
        return list;
    }

    private long bounded(int begin, int end, int most) throws IOException {
        long number = number(begin, end);
        if (number < -1 || number > most) {
            throw new IOException("an answer of length " + number);
        }
        return number;
    }

    private long number(int begin, int end) throws IOException {
        boolean negative = end > begin && bytes.get(begin) == '-';
        long number = 0;
        int first = negative ? begin + 1 : begin;
        if (first == end) {
            throw new IOException("an answer without its number");
        }
        for (int i = first; i < end; i++) {
            int digit = bytes.get(i) - '0';
            if (digit < 0 || digit > 9) {
                throw new IOException("an answer with a number that is none");
            }
            number = number * 10 + digit;
        }
        return negative ? -number : number;
    }

    /** Where the line that begins at the present place ends; -1 if its end has not come. */
    private int endOfLine() throws IOException {
        for (int i = at + 1; i < to - 1; i++) {
            if (bytes.get(i) == '\r' && bytes.get(i + 1) == '\n') {
                return i;
            }
        }
        if (to - at > LONGEST_LINE) {
            throw new IOException("a line of an answer is too long");
        }
        return -1;
    }
}
