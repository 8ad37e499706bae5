package dev.holdfast.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Reads an event stream, on a connection that the test can cut. */
final class Events implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final BufferedReader in;
    private final String status;

    Events(InetSocketAddress server, String path) throws IOException {
        this(server, path, "");
    }

    Events(InetSocketAddress server, String path, String token) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                                + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n") + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        status = in.readLine();
    }

    boolean isStream() {
        return status != null && status.contains(" 200 ");
    }

    /** Reads until an event of a kind has come so many times. {@return its data} */
    String await(String event, int times) throws IOException {
        int left = times;
        StringBuilder seen = new StringBuilder(String.valueOf(status));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            seen.append('\n').append(line);
            if (line.equals("event: " + event) && --left == 0) {
                return in.readLine();
            }
        }
        throw new AssertionError("there was no '" + event + "', but: " + seen);
    }

    /** {@return true when the server has ended the stream} */
    boolean readToTheEnd() throws IOException {
        String line = in.readLine();
        while (line != null) {
            line = in.readLine();
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
