package dev.holdfast.rig.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A connection that speaks Redis' protocol and nothing else, so that the rig does not depend on any client library it
 * helps to test. Used by one thread at a time.
 */
public final class RespConnection implements AutoCloseable {
    private static final int LONGEST_REPLY = 64 << 20;

    private final Socket socket;
    private final InputStream in;

    private RespConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Connects to a server on this machine.
     *
     * @param sockets makes plain or encrypted sockets
     * @param port of the server
     * @param timeout for connecting and for every reply
     * @return the connection
     * @throws IOException if there is none
     */
    public static RespConnection open(SocketFactory sockets, int port, Duration timeout) throws IOException {
        Socket socket = sockets.createSocket();
        try {
            socket.connect(new InetSocketAddress("127.0.0.1", port), Math.toIntExact(timeout.toMillis()));
            socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            socket.setTcpNoDelay(true);
            return new RespConnection(socket);
        } catch (IOException | RuntimeException failed) {
            socket.close();
            throw failed;
        }
    }

    /**
     * Sends a command and reads its reply.
     *
     * @param words the command and its arguments
     * @return a {@code String}, a {@code Long}, a {@code List} of these, or null
     * @throws IOException if there is no reply
     * @throws RedisError if the reply is an error
     */
    public @Nullable Object ask(String... words) throws IOException {
        send(words);
        return reply();
    }

    /**
     * Sends a command only.
     *
     * @param words the command and its arguments
     * @throws IOException if it cannot be sent
     */
    public void send(String... words) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            request.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            request.writeBytes(bytes);
            request.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
        }
        socket.getOutputStream().write(request.toByteArray());
        socket.getOutputStream().flush();
    }

    /**
     * Reads one reply, or one message of a subscription.
     *
     * @return as {@link #ask}
     * @throws IOException if there is none in time
     */
    public @Nullable Object reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.parseLong(rest);
            case '-' -> throw new RedisError(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> array(Integer.parseInt(rest));
            default -> throw new IOException("not a reply of Redis: " + line);
        };
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        if (length > LONGEST_REPLY) {
            throw new IOException("a reply of " + length + " bytes is too long");
        }
        byte[] bytes = in.readNBytes(length);
        line();
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> array(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            elements.add(reply());
        }
        return elements;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
