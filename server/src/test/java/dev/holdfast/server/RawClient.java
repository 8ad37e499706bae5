package dev.holdfast.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** Sends bytes that no decent client would send. */
final class RawClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;

    RawClient(InetSocketAddress server) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    static String exchange(InetSocketAddress server, String request) throws IOException {
        try (RawClient client = new RawClient(server)) {
            client.send(request);
            return client.readToTheEnd();
        }
    }

    void send(String text) throws IOException {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        } catch (SocketException answeredAlready) {
            // The server may refuse what it has not read to the end.
            return;
        }
    }

    /** Reads until the server closes the connection. */
    String readToTheEnd() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] some = new byte[4096];
        try {
            for (int count = socket.getInputStream().read(some);
                    count >= 0;
                    count = socket.getInputStream().read(some)) {
                read.write(some, 0, count);
            }
        } catch (SocketException reset) {
            // What came before counts.
            return read.toString(StandardCharsets.UTF_8);
        }
        return read.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
