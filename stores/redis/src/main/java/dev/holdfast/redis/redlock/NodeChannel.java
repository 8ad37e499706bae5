package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.AnswerBuffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * A socket to a node at which nobody waits: every step does what can be done at once. One that waits for several nodes
 * lets a selector tell which of them has something new. Used by one thread at a time; only {@link #close} by others.
 *
 * <pre>
 *   CONNECTING ──(with TLS)── SHAKING ── OPEN
 *       └────────(without)───────────────┘
 * </pre>
 */
final class NodeChannel {
    private enum Stage {
        CONNECTING,
        SHAKING,
        OPEN
    }

    private final Iterator<InetSocketAddress> addresses;
    private final @Nullable Supplier<SSLEngine> tls;
    private final ArrayDeque<ByteBuffer> unsent = new ArrayDeque<>();
    private Stage stage = Stage.CONNECTING;
    private @Nullable TlsLayer layer;

    /** Another one if the host has several addresses and the first is refused. */
    private volatile SocketChannel socket;

    private volatile boolean closed;

    /**
     * Begins to connect.
     *
     * @param addresses where the node may be found, at least one
     * @param tls makes the state of a new encrypted connection; null for a plain one
     * @throws IOException if none can be connected to
     */
    NodeChannel(List<InetSocketAddress> addresses, @Nullable Supplier<SSLEngine> tls) throws IOException {
        this.addresses = addresses.iterator();
        this.tls = tls;
        this.socket = connecting(this.addresses);
    }

    /** A refusal may come at once, or later. */
    private static SocketChannel connecting(Iterator<InetSocketAddress> left) throws IOException {
        IOException refused = new IOException("the host has no address");
        while (left.hasNext()) {
            SocketChannel socket = SocketChannel.open();
            try {
                socket.configureBlocking(false);
                socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
                socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                socket.connect(left.next());
                return socket;
            } catch (IOException failed) {
                refused = failed;
                socket.close();
            }
        }
        throw refused;
    }

    /**
     * Goes on connecting, and sends what the socket takes.
     *
     * @return whether it is open
     * @throws IOException if it is broken
     */
    boolean advance(AnswerBuffer into) throws IOException {
        if (stage == Stage.CONNECTING && !connect()) {
            return false;
        }
        if (stage == Stage.SHAKING) {
            TlsLayer encrypting = layer;
            if (encrypting == null || !encrypting.shake(socket, into)) {
                return false;
            }
            stage = Stage.OPEN;
        }
        flush();
        return true;
    }

    private boolean connect() throws IOException {
        try {
            if (!socket.finishConnect()) {
                return false;
            }
        } catch (IOException refused) {
            socket.close();
            if (!addresses.hasNext()) {
                throw refused;
            }
            socket = connecting(addresses);
            if (closed) {
                close();
            }
            return false;
        }
        layer = tls == null ? null : new TlsLayer(tls.get());
        stage = tls == null ? Stage.OPEN : Stage.SHAKING;
        return true;
    }

    /** Sends something as soon as the socket takes it; it must be open. */
    void send(byte[] bytes) throws IOException {
        unsent.add(ByteBuffer.wrap(bytes));
        flush();
    }

    private void flush() throws IOException {
        TlsLayer encrypting = layer;
        for (ByteBuffer next = unsent.peek(); next != null; next = unsent.peek()) {
            if (encrypting != null) {
                encrypting.encrypt(next);
            } else {
                socket.write(next);
                if (next.hasRemaining()) {
                    return;
                }
            }
            unsent.remove();
        }
        if (encrypting != null) {
            encrypting.flush(socket);
        }
    }

    /** Reads what has come; false if nothing more will come. */
    boolean receive(AnswerBuffer into) throws IOException {
        TlsLayer encrypting = layer;
        if (encrypting != null) {
            return encrypting.receive(socket, into);
        }
        int count;
        int room;
        do {
            ByteBuffer bytes = into.room();
            room = bytes.remaining();
            count = socket.read(bytes);
            into.added(Math.max(0, count));
        } while (count == room);
        return count >= 0;
    }

    /** Lets a selector tell when there is something to go on with. */
    void register(Selector selector) throws IOException {
        SelectionKey key = socket.keyFor(selector);
        if (key == null) {
            socket.register(selector, interest());
        } else if (key.interestOps() != interest()) {
            key.interestOps(interest());
        }
    }

    private int interest() {
        if (stage == Stage.CONNECTING) {
            return SelectionKey.OP_CONNECT;
        }
        TlsLayer encrypting = layer;
        boolean blocked = !unsent.isEmpty() || (encrypting != null && encrypting.hasUnsent());
        return blocked ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    }

    /** Ends it, whoever uses it. */
    void close() {
        closed = true;
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // There is nothing left that could be ended.
            return;
        }
    }
}
