package dev.holdfast.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol;
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
    @SuppressWarnings("deprecation") // Jedis 7, which is supported too, does not have its successor.
    @Nullable
    Object next() {
        try {
            return Protocol.read(this);
        } catch (JedisDataException refusal) {
            return refusal;
        }
    }
}
