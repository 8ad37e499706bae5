package dev.holdfast.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** The instances of a test, all with one secret; closed at its end. */
final class Servers implements AutoCloseable {
    static final byte[] SECRET = "a secret of 32 bytes for tests ..".getBytes(StandardCharsets.UTF_8);
    private static final AtomicInteger STORES = new AtomicInteger();

    private final String url;
    private final Deque<HoldfastServer> started = new ArrayDeque<>();

    Servers(String url) {
        this.url = url;
    }

    /** A store in memory that no other test uses. */
    static Servers inMemory() {
        return new Servers("memory:server-test-" + STORES.incrementAndGet());
    }

    ServerOptions options() {
        return ServerOptions.of(url, SECRET).withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    HoldfastServer start() {
        return start(options -> options);
    }

    HoldfastServer start(UnaryOperator<ServerOptions> change) {
        try {
            HoldfastServer server = HoldfastServer.start(change.apply(options()));
            started.push(server);
            return server;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    Wire wire() {
        return new Wire(start().uri());
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }
}
