package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/** A socket whose reader stays awake for the few microseconds that a near server takes to answer. */
final class AttentiveSocket extends Socket {
    private final ShortWait answer;

    AttentiveSocket(ShortWait answer) {
        this.answer = answer;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new AttentiveStream(super.getInputStream(), answer);
    }

    /** {@return the same without staying awake, for those who do so themselves} */
    InputStream plainInputStream() throws IOException {
        return super.getInputStream();
    }

    /** Used by one thread at a time. */
    private static final class AttentiveStream extends FilterInputStream {
        private final ShortWait answer;

        AttentiveStream(InputStream in, ShortWait answer) {
            super(in);
            this.answer = answer;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            answer.await(this::hasCome);
            return in.read(buffer, offset, length);
        }

        /** If that cannot be told, there is an error, which the read will meet too. */
        private boolean hasCome() {
            try {
                return in.available() > 0;
            } catch (IOException broken) {
                return true;
            }
        }
    }
}
