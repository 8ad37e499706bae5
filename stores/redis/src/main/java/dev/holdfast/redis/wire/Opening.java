package dev.holdfast.redis.wire;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is being opened. A read has a timeout of its own, but a server that says a byte now and then keeps a
 * handshake or a login going for ever: whoever looks for overdue answers ends it here. Thread-safe.
 */
final class Opening {
    private final Deadline deadline;

    /** What to cut, once there is something. */
    private @Nullable Socket socket;

    private boolean ended;

    Opening(Deadline deadline) {
        this.deadline = deadline;
    }

    /**
     * Goes on with another socket.
     *
     * @throws SocketTimeoutException if it has taken too long already
     */
    synchronized void by(Socket next) throws IOException {
        if (ended) {
            throw new SocketTimeoutException("no connection in time");
        }
        socket = next;
    }

    /** Cuts it if it takes too long. */
    synchronized void endIfOverdue() {
        if (!ended && deadline.isOver()) {
            end();
        }
    }

    /** Cuts it. */
    synchronized void end() {
        ended = true;
        Socket toCut = socket;
        if (toCut != null) {
            try {
                toCut.close();
            } catch (IOException closedAlready) {
                // It is what was wanted.
                return;
            }
        }
    }
}
