package dev.holdfast.tck.tcp;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * One connection to the server, used by one thread at a time. All that is read for one request has to come by the
 * request's deadline, a reading of {@link System#nanoTime}. Requests are small, so that sending one never blocks.
 */
final class Connection implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private long deadlineNanos;
    private boolean unlimited;

    /** What follows the first byte of a request. */
    interface Content {
        void write(DataOutputStream out) throws IOException;
    }

    private Connection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(new InTime(socket.getInputStream())));
        this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    static Connection open(InetSocketAddress server, long clientId, boolean forRequests, long deadlineNanos)
            throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(server, millisUntil(deadlineNanos));
            Connection connection = new Connection(socket);
            connection.limit(deadlineNanos);
            connection.out.writeLong(clientId);
            connection.out.writeBoolean(forRequests);
            connection.out.flush();
            return connection;
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }

    DataInputStream in() {
        return in;
    }

    void send(int request, Content content) throws IOException {
        out.writeByte(request);
        content.write(out);
        out.flush();
    }

    /** What is read from now on has to come by then. */
    void limit(long untilNanos) {
        deadlineNanos = untilNanos;
    }

    void waitForEver() {
        unlimited = true;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException already) {
            throw new IllegalStateException("a socket that cannot be closed", already);
        }
    }

    private static int millisUntil(long deadlineNanos) throws SocketTimeoutException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (left <= 0) {
            throw new SocketTimeoutException("the time for the request is over");
        }
        return (int) Math.min(Integer.MAX_VALUE, left);
    }

    /** A timeout of a socket counts for one read; this one counts for all of them. */
    private final class InTime extends InputStream {
        private final InputStream bytes;

        InTime(InputStream bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() throws IOException {
            limitNextRead();
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            limitNextRead();
            return bytes.read(target, offset, length);
        }

        private void limitNextRead() throws IOException {
            socket.setSoTimeout(unlimited ? 0 : millisUntil(deadlineNanos));
        }
    }
}
