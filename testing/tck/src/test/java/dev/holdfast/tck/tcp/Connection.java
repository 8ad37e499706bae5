package dev.holdfast.tck.tcp;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** One connection to the server, used by one thread at a time. */
final class Connection implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** What follows the first byte of a request. */
    interface Content {
        void write(DataOutputStream out) throws IOException;
    }

    private Connection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    static Connection open(InetSocketAddress server, long clientId, boolean forRequests, Duration timeout)
            throws IOException {
        Socket socket = new Socket();
        try {
            int millis = (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(millis);
            socket.connect(server, millis);
            Connection connection = new Connection(socket);
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

    void waitForEver() throws IOException {
        socket.setSoTimeout(0);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException already) {
            throw new IllegalStateException("a socket that cannot be closed", already);
        }
    }
}
