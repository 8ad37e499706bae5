package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.Script;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A real node whose clock can be stepped at any moment, as far as the store's scripts can see it.
 *
 * <p>The clock of a process cannot be stepped without the machine's: the rig's server is linked statically, so that
 * libfaketime has nothing to take the place of; Debian's own server hangs with it; and a time namespace of Linux has no wall
 * clock. So the scripts' only source of time is exchanged. Clients connect to a port of this object, which passes everything
 * on as it is, but for the scripts: {@code TIME} is the server's plus an offset that is kept in a key of the node. A clock
 * that is stepped also moves the expiry of keys that the server has counted out before; that is done in the same instant.
 * Nothing else is different from what is shipped. Thread-safe but for {@link #stepTo}.
 */
final class SteppedClock implements AutoCloseable {
    private static final String OFFSET_KEY = "stepped-clock";
    private static final int LONGEST_WORD = 1 << 20;
    private static final Pattern TIME = Pattern.compile("(?:redis\\.)?call\\('TIME'\\)");
    private static final String STEPPED_TIME = """
            local function stepped_time()
              local time = redis.call('TIME')
              return { time[1] + (redis.call('GET', '%s') or 0), time[2] }
            end
            """.formatted(OFFSET_KEY);

    /** Scripts, and their digests, by what the client sends. */
    private static final Map<String, byte[]> EXCHANGED = exchanged();

    private static final String STEP = """
            local step = tonumber(ARGV[1]) - (redis.call('GET', KEYS[1]) or 0)
            for _, key in ipairs(redis.call('KEYS', 'holdfast:*')) do
              local left = redis.call('PTTL', key)
              if left > 0 then
                redis.call('PEXPIRE', key, string.format('%.0f', left - step * 1000))
              end
            end
            redis.call('SET', KEYS[1], ARGV[1])
            """;

    private final RedisNode node;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private SteppedClock(RedisNode node, ServerSocket listener) {
        this.node = node;
        this.listener = listener;
    }

    /** {@return the clock of a node, not stepped yet} */
    static SteppedClock of(Rig rig, RedisNode node) {
        try {
            SteppedClock clock =
                    rig.keep(new SteppedClock(node, new ServerSocket(0, 64, InetAddress.getByName("127.0.0.1"))));
            daemon(clock::accept);
            return clock;
        } catch (IOException failed) {
            throw new UncheckedIOException("no port to listen on", failed);
        }
    }

    /** {@return where clients find the node} */
    int port() {
        return listener.getLocalPort();
    }

    /**
     * Steps the clock.
     *
     * @param ahead by how much it is ahead of the machine's from now on, in whole seconds; behind if negative
     */
    void stepTo(Duration ahead) {
        node.ask("EVAL", STEP, "1", OFFSET_KEY, Long.toString(ahead.toSeconds()));
    }

    @Override
    public void close() {
        quietly(listener);
        sockets.forEach(SteppedClock::quietly);
    }

    private static Map<String, byte[]> exchanged() {
        Map<String, byte[]> exchanged = new HashMap<>();
        for (Script script : Script.values()) {
            String text = text(script.text());
            String other = TIME.matcher(text).replaceAll("stepped_time()");
            if (script.name().startsWith("REDLOCK_") && !other.equals(text)) {
                byte[] stepped = (STEPPED_TIME + other).getBytes(StandardCharsets.ISO_8859_1);
                exchanged.put(text, stepped);
                exchanged.put(text(script.digest()), Script.digest(stepped));
            }
        }
        return Map.copyOf(exchanged);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getByName("127.0.0.1"), node.port());
                sockets.addAll(List.of(client, server));
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                daemon(() -> pump(client, server, SteppedClock::passOnRequests));
                daemon(() -> pump(server, client, SteppedClock::passOnAnswers));
            } catch (IOException closed) {
                close();
            }
        }
    }

    /** How bytes are passed on, until there are no more. */
    private interface Passing {
        void pass(InputStream in, OutputStream out) throws IOException;
    }

    private void pump(Socket from, Socket to, Passing passing) {
        try {
            passing.pass(
                    new BufferedInputStream(from.getInputStream()), new BufferedOutputStream(to.getOutputStream()));
        } catch (IOException ended) {
            // One side has gone, and the other goes with it.
        } finally {
            for (Socket socket : List.of(from, to)) {
                quietly(socket);
                sockets.remove(socket);
            }
        }
    }

    private static void passOnAnswers(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            out.write(buffer, 0, read);
            out.flush();
        }
    }

    private static void passOnRequests(InputStream in, OutputStream out) throws IOException {
        while (true) {
            List<byte[]> words = new ArrayList<>();
            for (int left = number(in, '*'); left > 0; left--) {
                words.add(in.readNBytes(number(in, '$')));
                in.skipNBytes(2);
            }
            out.write(bytes("*" + words.size() + "\r\n"));
            for (byte[] word : words) {
                byte[] passed = EXCHANGED.getOrDefault(text(word), word);
                out.write(bytes("$" + passed.length + "\r\n"));
                out.write(passed);
                out.write(bytes("\r\n"));
            }
            if (in.available() == 0) {
                out.flush();
            }
        }
    }

    private static int number(InputStream in, char kind) throws IOException {
        if (in.read() != kind) {
            throw new EOFException("no further request");
        }
        int number = 0;
        for (int digit = in.read(); digit != '\r'; digit = in.read()) {
            number = number * 10 + Character.digit(digit, 10);
            if (number < 0 || number > LONGEST_WORD) {
                throw new IOException("not a request");
            }
        }
        in.skipNBytes(1);
        return number;
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "stepped-clock");
        thread.setDaemon(true);
        thread.start();
    }

    private static void quietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException closedAlready) {
            // It is closed, and that is all that was wanted.
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
