package dev.holdfast.rig.etcd;

import dev.holdfast.rig.Eventually;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One etcd server as a child process, on its own or a member of a cluster. Used by one thread at a time. */
public final class EtcdNode implements AutoCloseable {
    private static final Duration TIME_TO_SERVE = Duration.ofSeconds(30);
    private static final Pattern VERSION = Pattern.compile("\"etcdserver\":\"([^\"]+)\"");
    private static final Pattern REVISION = Pattern.compile("\"revision\":\"([0-9]+)\"");
    private static final Pattern MEMBER = Pattern.compile("\"member_id\":\"([0-9]+)\"");
    private static final Pattern LEADER = Pattern.compile("\"leader\":\"([0-9]+)\"");

    private final Server server;

    EtcdNode(Server server) {
        this.server = server;
    }

    /**
     * Starts a server on its own and waits until it answers.
     *
     * @param rig in which it runs
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static EtcdNode start(Rig rig) throws InterruptedException {
        return start(rig, EtcdSettings.defaults());
    }

    /**
     * Starts a server on its own and waits until it answers; with TLS, until it takes connections.
     *
     * @param rig in which it runs
     * @param settings how it is set up
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static EtcdNode start(Rig rig, EtcdSettings settings) throws InterruptedException {
        return new EtcdNode(rig.start("etcd", new EtcdLaunch(EtcdBinary.find(), settings, "one", 0, "", "")));
    }

    /** {@return host and port, as in a URL} */
    public String address() {
        return "127.0.0.1:" + port();
    }

    /** {@return its port on 127.0.0.1} */
    public int port() {
        return server.port();
    }

    /** {@return its process} */
    public Server server() {
        return server;
    }

    /**
     * Asks over HTTP, which etcd offers for every method of its protocol.
     *
     * @param path for example {@code /v3/kv/range}
     * @param json the request; keys and values in base 64
     * @return the answer, in JSON
     */
    public String ask(String path, String json) {
        try {
            return EtcdGateway.ask(port(), path, json);
        } catch (IOException failed) {
            throw new UncheckedIOException(server.name() + " does not answer " + path, failed);
        }
    }

    /**
     * Encodes a key or a value for {@link #ask}.
     *
     * @param text the text
     * @return the same in base 64
     */
    public static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the revision of its keys} */
    public long revision() {
        return number(REVISION, ask("/v3/kv/range", "{\"key\":\"" + encoded("-") + "\"}"));
    }

    /** {@return the server's version} */
    public String version() {
        Matcher found = VERSION.matcher(get("/version"));
        return found.find() ? found.group(1) : "of an unknown version";
    }

    /**
     * Reads one of the numbers in {@code /metrics}.
     *
     * @param name the name of the metric
     * @return the sum over all its labels, 0 if there is none of that name
     */
    public long metric(String name) {
        return get("/metrics")
                .lines()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .mapToLong(text -> (long) Double.parseDouble(text))
                .sum();
    }

    private String get(String path) {
        try {
            return EtcdGateway.get(port(), path);
        } catch (IOException failed) {
            throw new UncheckedIOException(server.name() + " does not answer " + path, failed);
        }
    }

    /** Forgets all revisions but the last, as operators do now and then. */
    public void compact() {
        ask("/v3/kv/compaction", "{\"revision\":\"" + revision() + "\",\"physical\":true}");
    }

    /** Gives the space of forgotten revisions back, during which the server answers nobody. */
    public void defragment() {
        ask("/v3/maintenance/defragment", "{}");
    }

    /** {@return whether it is the leader of its cluster now} */
    public boolean leads() {
        if (!server.isRunning() || server.isPaused()) {
            return false;
        }
        try {
            String status = EtcdGateway.ask(port(), "/v3/maintenance/status", "{}");
            return number(MEMBER, status) == number(LEADER, status);
        } catch (IOException notNow) {
            return false;
        }
    }

    /** Whether a majority confirms within a while what it knows. */
    boolean isHeard() {
        try {
            return EtcdGateway.isHealthy(port());
        } catch (IOException unconfirmed) {
            return false;
        }
    }

    /**
     * Waits until it serves clients.
     *
     * @throws InterruptedException if interrupted
     */
    public void awaitServing() throws InterruptedException {
        Eventually.await(server.name() + " serving clients", TIME_TO_SERVE, this::isHeard);
    }

    /**
     * Starts it again after {@link #kill}, on the same ports and with the data that it has.
     *
     * @throws InterruptedException if interrupted
     */
    public void start() throws InterruptedException {
        server.start();
    }

    /**
     * As {@link Server#kill}.
     *
     * @throws InterruptedException if interrupted
     */
    public void kill() throws InterruptedException {
        server.kill();
    }

    /**
     * As {@link Server#pause}.
     *
     * @throws InterruptedException if interrupted
     */
    public void pause() throws InterruptedException {
        server.pause();
    }

    /**
     * As {@link Server#resume}.
     *
     * @throws InterruptedException if interrupted
     */
    public void resume() throws InterruptedException {
        server.resume();
    }

    @Override
    public void close() {
        server.close();
    }

    private static long number(Pattern pattern, String json) {
        Matcher found = pattern.matcher(json);
        return found.find() ? Long.parseUnsignedLong(found.group(1)) : 0;
    }
}
