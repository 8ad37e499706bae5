package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.AnswerBuffer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;

/**
 * Encrypts what goes over a socket that nobody waits at. Every step does what can be done with what has come, and returns.
 * Used by one thread at a time.
 */
final class TlsLayer {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int MOST_STEPS = 1_000;

    private final SSLEngine engine;

    /** Encrypted bytes that have come; ready for more to be put in. */
    private ByteBuffer received;

    /** Encrypted bytes that have not been sent; ready for more to be put in. */
    private ByteBuffer unsent;

    TlsLayer(SSLEngine engine) throws IOException {
        this.engine = engine;
        this.received = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        this.unsent = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.beginHandshake();
    }

    /** {@return whether bytes wait until the socket takes more} */
    boolean hasUnsent() {
        return unsent.position() > 0;
    }

    /** Goes on with the handshake; tells whether it is over. */
    boolean shake(SocketChannel socket, AnswerBuffer into) throws IOException {
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> wrap(NOTHING);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    flush(socket);
                    if (unwrap(into) == 0) {
                        int count = fill(socket);
                        if (count < 0) {
                            throw new EOFException("the node closed the connection");
                        }
                        if (count == 0) {
                            return false;
                        }
                    }
                }
                case FINISHED, NOT_HANDSHAKING -> {
                    flush(socket);
                    return true;
                }
            }
        }
        throw new IOException("the handshake does not end");
    }

    /** Encrypts something; {@link #flush} sends it. */
    void encrypt(ByteBuffer plain) throws IOException {
        while (plain.hasRemaining()) {
            wrap(plain);
        }
    }

    /** Sends what the socket takes. */
    void flush(SocketChannel socket) throws IOException {
        if (unsent.position() > 0) {
            unsent.flip();
            try {
                socket.write(unsent);
            } finally {
                unsent.compact();
            }
        }
    }

    /** Reads and decrypts what has come; false if nothing more will come. */
    boolean receive(SocketChannel socket, AnswerBuffer into) throws IOException {
        while (true) {
            int count = fill(socket);
            int used = unwrap(into);
            while (used > 0) {
                used = unwrap(into);
            }
            if (count <= 0) {
                flush(socket);
                return count == 0;
            }
        }
    }

    private int fill(SocketChannel socket) throws IOException {
        if (!received.hasRemaining()) {
            received = enlarged(received);
        }
        return socket.read(received);
    }

    /** Decrypts one record, and tells how many bytes of what has come were used for it. */
    private int unwrap(AnswerBuffer into) throws IOException {
        if (received.position() == 0) {
            return 0;
        }
        received.flip();
        SSLEngineResult result;
        try {
            result = engine.unwrap(received, into.room(engine.getSession().getApplicationBufferSize()));
        } finally {
            received.compact();
        }
        into.added(result.bytesProduced());
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new EOFException("the node closed the connection");
        }
        switch (result.getHandshakeStatus()) {
            case NEED_TASK -> runTasks();
            case NEED_WRAP -> wrap(NOTHING);
            default -> {}
        }
        return result.bytesConsumed();
    }

    private void wrap(ByteBuffer plain) throws IOException {
        SSLEngineResult result = engine.wrap(plain, unsent);
        if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
            unsent = enlarged(unsent);
        } else if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new EOFException("the connection is closed");
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    private static ByteBuffer enlarged(ByteBuffer full) {
        return ByteBuffer.allocate(full.capacity() * 2).put(full.flip());
    }
}
