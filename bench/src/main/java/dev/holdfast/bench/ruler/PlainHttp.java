package dev.holdfast.bench.ruler;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on one connection and one thread, one request after the other. A grown-up client has threads of its own, whose
 * cost would be taken for the server's.
 */
final class PlainHttp {
    private final String host;
    private final int port;
    private @Nullable Socket socket;
    private @Nullable InputStream in;

    record Answer(int status, String body) {}

    PlainHttp(String host, int port) {
        this.host = host;
        this.port = port;
    }

    Answer exchange(String method, String path, List<String> headers, String body) {
        try {
            Socket connection = socket;
            InputStream input = in;
            if (connection == null || input == null) {
                connection = new Socket(host, port);
                connection.setTcpNoDelay(true);
                input = new BufferedInputStream(connection.getInputStream());
                socket = connection;
                in = input;
            }
            StringBuilder request =
                    new StringBuilder(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
            headers.forEach(header -> request.append(header).append("\r\n"));
            request.append("Content-Length: ")
                    .append(body.length())
                    .append("\r\n\r\n")
                    .append(body);
            OutputStream out = connection.getOutputStream();
            out.write(request.toString().getBytes(StandardCharsets.US_ASCII));
            return read(input);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Answer read(InputStream input) throws IOException {
        int status = Integer.parseInt(line(input).split(" ", 3)[1]);
        int length = 0;
        for (String header = line(input); !header.isEmpty(); header = line(input)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring(header.indexOf(':') + 1).strip());
            }
        }
        return new Answer(status, new String(input.readNBytes(length), StandardCharsets.UTF_8));
    }

    private static String line(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.US_ASCII);
    }
}
