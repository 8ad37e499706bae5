package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Encoding;
import dev.holdfast.redis.wire.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * What any lock on these servers costs at least: one thread writes a {@code SET} to each and reads as many answers as are
 * needed, from whoever has answered, staying awake meanwhile. Used by one thread.
 */
final class BareRequests implements AutoCloseable {
    private static final byte[] SET = Encoding.of(Command.SET, Keys.bytes("bare"), Keys.bytes("1"));
    private static final int MOST_YIELDS = 1_000;

    private final List<Peer> peers = new ArrayList<>();

    /** One connection, and how many answers are still to come on it. */
    private static final class Peer {
        private final Socket socket;
        private final byte[] buffer = new byte[256];
        private int owed;

        private Peer(int port) throws IOException {
            socket = new Socket("127.0.0.1", port);
            socket.setTcpNoDelay(true);
        }

        private void take() throws IOException {
            int length = socket.getInputStream().read(buffer);
            for (int i = 0; i < length; i++) {
                owed -= buffer[i] == '\n' ? 1 : 0;
            }
            if (length < 0) {
                throw new IOException("the server has closed the connection");
            }
        }
    }

    BareRequests(List<Integer> ports) throws IOException {
        for (int port : ports) {
            peers.add(new Peer(port));
        }
    }

    /** {@return how many nanoseconds it took until so many had answered} */
    long ask(int quorum) {
        long begin = System.nanoTime();
        try {
            List<Peer> pending = new ArrayList<>(peers);
            for (Peer peer : peers) {
                peer.socket.getOutputStream().write(SET);
                peer.owed++;
            }
            while (peers.size() - pending.size() < quorum) {
                Peer next = next(pending);
                next.take();
                if (next.owed == 0) {
                    pending.remove(next);
                }
            }
            return System.nanoTime() - begin;
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** The scheduler matters for what is measured here, not for what is asserted. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static Peer next(List<Peer> pending) throws IOException {
        for (int yields = 0; yields < MOST_YIELDS; yields++) {
            for (Peer peer : pending) {
                if (peer.socket.getInputStream().available() > 0) {
                    return peer;
                }
            }
            Thread.yield();
        }
        return pending.get(0);
    }

    @Override
    public void close() throws IOException {
        for (Peer peer : peers) {
            peer.socket.close();
        }
    }
}
