package dev.holdfast.server;

import dev.holdfast.Credentials;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a server runs. Start from {@link #of}; every {@code with…} method returns a changed copy. Immutable. */
public final class ServerOptions {
    private static final int USUAL_PORT = 7420;

    private final String url;
    private final byte[] secret;
    private @Nullable Credentials credentials;
    private @Nullable String name;
    private InetSocketAddress listen = new InetSocketAddress("127.0.0.1", USUAL_PORT);
    private Limits limits = Limits.usual();
    private Duration commandTimeout = Duration.ofSeconds(5);
    private Duration stopTime = Duration.ofSeconds(10);
    private ServerLog log = ServerLog.none();
    private @Nullable Path access;
    private @Nullable TlsFiles tls;
    private Set<String> hosts = Set.of();
    private boolean withoutTls;
    private boolean withoutCredentials;

    private ServerOptions(String url, byte[] secret) {
        this.url = url;
        this.secret = secret;
    }

    /**
     * Begins with what every server needs.
     *
     * @param url the store, as for {@link dev.holdfast.Holdfast#connect}
     * @param secret what all instances of the server share, at least 16 random bytes: with it they find each other's
     *     leases, and sign lease ids
     * @return the options
     */
    public static ServerOptions of(String url, byte[] secret) {
        return new ServerOptions(Objects.requireNonNull(url, "url"), secret.clone());
    }

    private ServerOptions copy() {
        ServerOptions copy = new ServerOptions(url, secret);
        copy.credentials = credentials;
        copy.name = name;
        copy.listen = listen;
        copy.limits = limits;
        copy.commandTimeout = commandTimeout;
        copy.stopTime = stopTime;
        copy.log = log;
        copy.access = access;
        copy.tls = tls;
        copy.hosts = hosts;
        copy.withoutTls = withoutTls;
        copy.withoutCredentials = withoutCredentials;
        return copy;
    }

    /** {@return a copy with a user and password for the store, or null if they stand in the URL} */
    public ServerOptions withCredentials(@Nullable Credentials userAndPassword) {
        ServerOptions copy = copy();
        copy.credentials = userAndPassword;
        return copy;
    }

    /** {@return a copy with a name for this instance, as the store shows it} */
    public ServerOptions withName(String instanceName) {
        ServerOptions copy = copy();
        copy.name = instanceName;
        return copy;
    }

    /** {@return a copy that listens at another address; without this it is port 7420 of the loopback address} */
    public ServerOptions withListen(InetSocketAddress address) {
        ServerOptions copy = copy();
        copy.listen = address;
        return copy;
    }

    /** {@return a copy with other limits} */
    public ServerOptions withLimits(Limits other) {
        ServerOptions copy = copy();
        copy.limits = other;
        return copy;
    }

    /** {@return a copy with another limit for how long a call to the store may take} */
    public ServerOptions withCommandTimeout(Duration limit) {
        ServerOptions copy = copy();
        copy.commandTimeout = limit;
        return copy;
    }

    /** {@return a copy that takes at most so long to stop} */
    public ServerOptions withStopTime(Duration limit) {
        ServerOptions copy = copy();
        copy.stopTime = limit;
        return copy;
    }

    /** {@return a copy that writes what happens} */
    public ServerOptions withLog(ServerLog other) {
        ServerOptions copy = copy();
        copy.log = other;
        return copy;
    }

    /**
     * Only serves the clients in a file. Each has a line with its name, its roles, the prefixes of the names that it may
     * use, and how it is recognised: by the SHA-256 of its token, or by the common name of its certificate.
     *
     * <pre>
     *   ci       look,lock        builds/,deploy/  sha256:74f7e123ac2516d2…
     *   billing  lock             billing/         certificate:billing.internal
     *   ops      look,lock,evict  *                sha256:6924639197d8323a…
     * </pre>
     *
     * @param file the file, which is read now and at each {@link HoldfastServer#reload()}
     * @return the changed copy
     */
    public ServerOptions withAccess(Path file) {
        ServerOptions copy = copy();
        copy.access = file;
        return copy;
    }

    /** {@return a copy that speaks TLS} */
    public ServerOptions withTls(TlsFiles files) {
        ServerOptions copy = copy();
        copy.tls = files;
        return copy;
    }

    /** {@return a copy that is known by further names, which a server without an access file has to be told} */
    public ServerOptions withHosts(Set<String> names) {
        ServerOptions copy = copy();
        copy.hosts = Set.copyOf(names);
        return copy;
    }

    /** {@return a copy that listens at any address without TLS: everybody on the way reads and changes what is sent} */
    public ServerOptions withInsecureLackOfTls() {
        ServerOptions copy = copy();
        copy.withoutTls = true;
        return copy;
    }

    /** {@return a copy that listens at any address without an access file: everybody who reaches it does everything} */
    public ServerOptions withInsecureLackOfCredentials() {
        ServerOptions copy = copy();
        copy.withoutCredentials = true;
        return copy;
    }

    /** Refuses what would be open to others by accident. */
    void checkSafe() {
        if (!listen.isUnresolved() && listen.getAddress().isLoopbackAddress()) {
            return;
        }
        String where = "'" + listen.getHostString() + "' can be reached from other machines, ";
        if (access == null && !withoutCredentials) {
            throw new IllegalArgumentException(where + "so clients need credentials: give an access file"
                    + " (--access-file), or say that everybody may do everything (--insecure-without-credentials)");
        }
        if (tls == null && !withoutTls) {
            throw new IllegalArgumentException(where + "so TLS is needed: give a certificate (--tls-certificate and"
                    + " --tls-key), or say that a proxy encrypts in front of it, or nobody (--insecure-without-tls)");
        }
    }

    @Nullable
    Path access() {
        return access;
    }

    @Nullable
    TlsFiles tls() {
        return tls;
    }

    Set<String> hosts() {
        return hosts;
    }

    String url() {
        return url;
    }

    byte[] secret() {
        return secret;
    }

    @Nullable
    Credentials credentials() {
        return credentials;
    }

    Optional<String> name() {
        return Optional.ofNullable(name);
    }

    InetSocketAddress listen() {
        return listen;
    }

    Limits limits() {
        return limits;
    }

    Duration commandTimeout() {
        return commandTimeout;
    }

    Duration stopTime() {
        return stopTime;
    }

    ServerLog log() {
        return log;
    }
}
