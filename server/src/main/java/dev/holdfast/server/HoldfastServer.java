package dev.holdfast.server;

import dev.holdfast.server.api.AccessRules;
import dev.holdfast.server.api.Api;
import dev.holdfast.server.api.Metrics;
import dev.holdfast.server.history.History;
import dev.holdfast.server.lease.LeaseRequests;
import dev.holdfast.server.lease.Leases;
import dev.holdfast.server.lease.Quota;
import dev.holdfast.server.lease.Secret;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.HttpListener;
import dev.holdfast.server.wire.Problem;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Offers the locks of one store over HTTP. Several instances with the same store and the same secret are one server for
 * their clients. Thread-safe.
 */
public final class HoldfastServer implements AutoCloseable {
    private static final long LOOK_NANOS = 5_000_000;

    private final ServerOptions options;
    private final StoreLink link;
    private final StoreThreads threads = new StoreThreads();
    private final LeaseRequests requests;
    private final Api api;
    private final HttpListener listener;
    private final InetSocketAddress address;
    private volatile @Nullable AccessRules rules;
    private volatile @Nullable SslContext tls;
    private final AtomicBoolean closed = new AtomicBoolean();

    private HoldfastServer(ServerOptions options) throws IOException {
        this.options = options;
        Secret secret = new Secret(options.secret());
        InetSocketAddress listen = options.listen();
        options.checkSafe();
        read();
        StoreLink.Messages messages = new StoreLink.Messages();
        link = StoreLink.open(
                options.url(),
                options.credentials(),
                options.name().orElseGet(HoldfastServer::ownName),
                options.commandTimeout(),
                messages);
        Limits limits = options.limits();
        History history = new History(link::now);
        Leases leases = new Leases(link, threads, secret, history);
        requests = new LeaseRequests(
                link,
                threads,
                secret,
                leases,
                history,
                new Quota("waiting requests", limits.waitersPerClient(), limits.waiters()),
                defect -> options.log().write("error", "defect", Map.of("what", defect.toString())));
        messages.to(requests);
        Metrics metrics = new Metrics();
        api = new Api(
                link,
                threads,
                leases,
                requests,
                history,
                new Api.Settings(limits, options.log(), () -> rules, options.hosts()),
                metrics);
        listener = new HttpListener(
                new HttpListener.Terms(
                        listen,
                        () -> tls,
                        limits.bodyBytes(),
                        limits.connections(),
                        limits.unreadBytes(),
                        (int) limits.requestTime().toSeconds(),
                        (int) limits.idleTime().toSeconds()),
                api,
                new Counting(metrics),
                link::now);
        metrics.gauge("connections", "Open connections.", listener::connectionCount);
        metrics.gauge("requests", "Requests that are being answered.", listener::callCount);
        metrics.gauge("streams", "Open event streams.", listener::streamCount);
        metrics.gauge(
                "unread_bytes", "Bytes of events and answers that clients have not taken.", listener::unreadBytes);
        metrics.gauge("waiting_requests", "Requests for leases that wait or are being asked for.", requests::count);
        metrics.gauge(
                "kept_leases", "Leases in this instance's session, where the store has sessions.", leases::keptCount);
        metrics.gauge("store_calls_queued", "Calls to the store that wait for a thread.", threads::backlog);
        try {
            address = listener.start();
        } catch (IOException | RuntimeException failed) {
            threads.close();
            listener.close();
            link.close();
            throw failed;
        }
        api.start();
    }

    /**
     * Reads the access file and the TLS files again; new requests and new connections use what they say. Streams and waiting
     * requests of clients whose line is gone or has changed are ended: they have to ask again.
     *
     * @throws IllegalArgumentException if they make no sense; then what was read before stays
     */
    public void reload() {
        AccessRules before = rules;
        read();
        AccessRules now = rules;
        if (before != null && now != null) {
            Set<String> changed = now.changedSince(before);
            requests.refuse(changed);
            api.refuse(changed);
        }
    }

    private void read() {
        Path access = options.access();
        TlsFiles files = options.tls();
        AccessRules newRules = access == null ? null : AccessRules.read(access);
        SslContext newTls = files == null ? null : files.read();
        rules = newRules;
        tls = newTls;
    }

    /**
     * Starts a server.
     *
     * @param options how it runs
     * @return the server, which answers by now
     * @throws IOException if the address cannot be used
     * @throws IllegalArgumentException if the options do not fit together
     * @throws dev.holdfast.StoreMisconfiguredException if the store's URL or set-up is wrong
     * @throws dev.holdfast.StoreUnavailableException if the store does not answer
     */
    public static HoldfastServer start(ServerOptions options) throws IOException {
        HoldfastServer server = new HoldfastServer(options);
        options.log()
                .write("info", "listening", Map.of("at", server.uri().toString(), "store", server.link.toString()));
        if (server.link.hasSessions()) {
            options.log()
                    .write(
                            "warn",
                            "leases live in this instance",
                            Map.of(
                                    "why",
                                    "with this store a lease lives in the session of the instance that granted it: use one"
                                            + " instance, or a load balancer that keeps a client with its instance"));
        }
        return server;
    }

    private static String ownName() {
        return "holdfast-server/" + ProcessHandle.current().pid();
    }

    /** {@return where it listens, with the port that was chosen if none was named} */
    public InetSocketAddress address() {
        return address;
    }

    /** {@return the root of its paths} */
    public URI uri() {
        String host = address.getAddress().getHostAddress();
        return URI.create((options.tls() == null ? "http://" : "https://")
                + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort());
    }

    /** Stops: accepts nobody any more, answers every waiting request, ends the streams, and closes the store. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        options.log().write("info", "stopping", Map.of());
        api.stop();
        listener.stopAccepting();
        requests.stop();
        long until = System.nanoTime() + options.stopTime().toNanos();
        while (listener.callCount() > 0 && System.nanoTime() < until) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        threads.close();
        threads.awaitIdle(Math.max(LOOK_NANOS, until - System.nanoTime()));
        listener.close();
        link.close();
        options.log().write("info", "stopped", Map.of());
    }

    private final class Counting implements HttpListener.Events {
        private final Metrics metrics;

        Counting(Metrics metrics) {
            this.metrics = metrics;
        }

        @Override
        public void ended(Call call) {
            metrics.ended(call, link.now());
        }

        @Override
        public void refused(Problem problem) {
            metrics.refused(problem.code().status());
        }

        @Override
        public void cut(InetSocketAddress reader, String why) {
            options.log()
                    .write(
                            "warn",
                            "stream cut",
                            Map.of("to", reader.getAddress().getHostAddress(), "why", why));
        }
    }
}
