package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for answers. Stays awake for the few microseconds that a near server takes to answer. Used by one thread at a time.
 */
final class AnswerReader {
    private final InputStream in;

    /** Null where nobody can tell what has come before it is read, as on an encrypted stream. */
    private final @Nullable ShortWait near;

    private final AnswerBuffer buffer = new AnswerBuffer();

    AnswerReader(InputStream in, @Nullable ShortWait near) {
        this.in = in;
        this.near = near;
    }

    /** {@return whether a part of an answer is there; if the stream is broken too, for the read will meet that} */
    boolean hasCome() {
        try {
            return buffer.hasSome() || in.available() > 0;
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
        if (near != null && !buffer.hasSome()) {
            near.await(this::hasCome);
        }
        return nextAsleep();
    }

    /** The same for those who stay awake themselves. */
    @Nullable
    Object nextAsleep() throws IOException {
        Object answer = buffer.next();
        while (answer == AnswerBuffer.INCOMPLETE) {
            fill();
            answer = buffer.next();
        }
        return answer;
    }

    private void fill() throws IOException {
        ByteBuffer room = buffer.room();
        int count = in.read(room.array(), room.position(), room.remaining());
        if (count <= 0) {
            throw new EOFException("the server has closed the connection");
        }
        buffer.added(count);
    }
}
