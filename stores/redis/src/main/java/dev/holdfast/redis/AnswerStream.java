package dev.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * What a node sends: answers of the second version of the protocol, which has no messages in between. Can tell whether
 * anything has come, without waiting for it. Used by one thread at a time.
 */
final class AnswerStream extends RedisInputStream {
    /** An encrypted stream does not know what has come before it has tried to read it. */
    private final boolean tells;

    private AnswerStream(InputStream in, boolean tells) {
        super(in);
        this.tells = tells;
    }

    static AnswerStream of(Socket socket) throws IOException {
        // Whoever reads from several nodes stays awake for all of them, not for one after another.
        return socket instanceof AttentiveSocket attentive
                ? new AnswerStream(attentive.plainInputStream(), true)
                : new AnswerStream(socket.getInputStream(), false);
    }

    /** {@return whether a part of an answer is there; if the stream is broken too, for the read will meet that} */
    boolean hasCome() {
        try {
            return count < limit || (tells && in.available() > 0);
        } catch (IOException broken) {
            return true;
        }
    }

    /**
     * Waits for an answer: a number, bytes, a list, null, or the exception that says why the command was refused.
     *
     * @throws JedisConnectionException if the connection is broken, or nothing comes in time
     */
    @Nullable
    Object next() {
        byte kind = readByte();
        return switch (kind) {
            case ':' -> readLongCrLf();
            case '$' -> bytes(readIntCrLf());
            case '*' -> list(readIntCrLf());
            case '+' -> readLineBytes();
            case '-' -> new JedisDataException(readLine());
            default -> throw new JedisConnectionException("an answer began with the byte " + kind);
        };
    }

    private byte @Nullable [] bytes(int length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; ) {
            int some = read(bytes, at, length - at);
            if (some < 0) {
                throw new JedisConnectionException("an answer ended in the middle");
            }
            at += some;
        }
        readByte();
        readByte();
        return bytes;
    }

    private @Nullable List<@Nullable Object> list(int length) {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> fields = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            fields.add(next());
        }
        return fields;
    }
}
