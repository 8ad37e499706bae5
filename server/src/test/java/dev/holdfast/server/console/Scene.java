package dev.holdfast.server.console;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.server.HoldfastServer;
import dev.holdfast.server.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A store in memory, Java clients that hold and wait there, and a server that shows it. */
final class Scene implements AutoCloseable {
    private static final byte[] SECRET = "a secret for the console's tests".getBytes(StandardCharsets.UTF_8);
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final AtomicInteger STORES = new AtomicInteger();

    private final String store = "memory:console-test-" + STORES.incrementAndGet();
    private final UnaryOperator<ServerOptions> options;
    private final Deque<Holdfast> clients = new ArrayDeque<>();
    /** A lease that nobody refers to is given back. */
    private final List<Lease> kept = new ArrayList<>();

    private HoldfastServer server;

    Scene() {
        this(options -> options);
    }

    Scene(UnaryOperator<ServerOptions> options) {
        this.options = options;
        server = start(0);
    }

    private HoldfastServer start(int port) {
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            return HoldfastServer.start(
                    options.apply(ServerOptions.of(store, SECRET).withListen(listen)));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A client of the same store, closed at the end. */
    Holdfast client(String name) {
        Holdfast client = Holdfast.builder().url(store).clientName(name).build();
        clients.push(client);
        return client;
    }

    /** Takes a lock as a client of its own, and holds it to the end. */
    Lease take(String client, String name, String label) {
        return keep(client(client).lock(name, LockOptions.defaults().withLabel(label)));
    }

    /** Takes a lock and holds it to the end. */
    Lease keep(DistributedLock lock) {
        Lease lease = lock.tryAcquire().orElseThrow();
        kept.add(lease);
        return lease;
    }

    URI uri() {
        return server.uri();
    }

    String address() {
        return uri() + "/";
    }

    /** The page of one lock. */
    String address(String lock) {
        return address() + fragment(lock);
    }

    static String fragment(String lock) {
        return "#/lock/" + URLEncoder.encode(lock, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Asks the server. {@return its answer} */
    String send(String method, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri().resolve(path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return HTTP.sendAsync(request.build(), BodyHandlers.ofString()).join().body();
    }

    void stopServer() {
        server.close();
    }

    void startServerAgain() {
        server = start(server.address().getPort());
    }

    @Override
    public void close() {
        while (!clients.isEmpty()) {
            clients.pop().close();
        }
        server.close();
    }
}
