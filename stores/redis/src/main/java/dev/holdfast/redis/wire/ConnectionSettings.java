package dev.holdfast.redis.wire;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** How our own connections are made. Immutable. */
public final class ConnectionSettings {
    /** The options that a URL may have for its connections. */
    public static final Set<String> OPTIONS = TlsSettings.OPTIONS;

    private static final int LOOKS_PER_TIMEOUT = 16;
    private static final byte[] SET_NAME = Keys.bytes("SETNAME");

    private final Duration timeout;
    private final int maxConnections;
    private final @Nullable SSLContext tls;
    private final Login login;
    private final Supplier<ShortWait> shortWaits;

    /** Who connects. Does not show secrets. */
    private record Login(
            int database, @Nullable String user, @Nullable String password, String clientName) {
        @Override
        public String toString() {
            return clientName;
        }
    }

    private ConnectionSettings(
            Duration timeout,
            int maxConnections,
            @Nullable SSLContext tls,
            Login login,
            Supplier<ShortWait> shortWaits) {
        this.timeout = timeout;
        this.maxConnections = maxConnections;
        this.tls = tls;
        this.login = login;
        this.shortWaits = shortWaits;
    }

    /** Makes settings from what a URL says. */
    public static ConnectionSettings of(Address address, Settings settings, StoreUri uri) {
        TlsSettings security = TlsSettings.of(uri);
        if (!address.tls() && !security.isEmpty()) {
            throw new StoreMisconfiguredException("the option '" + security.firstOption()
                    + "' is for TLS; begin the URL with '" + address.kind().encryptedScheme() + "'");
        }
        return new ConnectionSettings(
                settings.timeout(),
                settings.maxConnections(),
                address.tls() ? security.context() : null,
                new Login(address.database(), address.user(), address.password(), settings.clientName()),
                settings.shortWaits());
    }

    /** The same for sentinels, which have no databases, and users of their own. */
    public ConnectionSettings forSentinels(@Nullable String user, @Nullable String password) {
        return new ConnectionSettings(timeout, 1, tls, new Login(0, user, password, login.clientName), shortWaits);
    }

    /**
     * Connects, and logs in.
     *
     * @throws BrokenConnection if there is no connection in time
     * @throws ServerRefusal if the server refuses the login
     */
    SocketConnection connect(HostAndPort address, Deadline deadline) {
        return new Connector(address, tls, shortWaits).connect(loginCommands(), courtesyCommands(), deadline);
    }

    int maxConnections() {
        return maxConnections;
    }

    public Duration timeout() {
        return timeout;
    }

    public long timeoutNanos() {
        return timeout.toNanos();
    }

    /** How often to look for overdue answers. */
    public Duration lookInterval() {
        return Duration.ofNanos(Math.max(1_000_000, timeout.toNanos() / LOOKS_PER_TIMEOUT));
    }

    /** {@return what makes the state of a new encrypted connection to an address; null if connections are plain} */
    public @Nullable Supplier<SSLEngine> engines(HostAndPort address) {
        SSLContext context = tls;
        if (context == null) {
            return null;
        }
        return () -> {
            SSLEngine engine = context.createSSLEngine(address.host(), address.port());
            engine.setUseClientMode(true);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            engine.setSSLParameters(parameters);
            return engine;
        };
    }

    /** {@return the commands with which a new connection logs in} */
    public List<byte[]> loginCommands() {
        List<byte[]> commands = new ArrayList<>();
        String password = login.password;
        if (password != null) {
            commands.add(
                    login.user == null
                            ? Encoding.of(Command.AUTH, Keys.bytes(password))
                            : Encoding.of(Command.AUTH, Keys.bytes(login.user), Keys.bytes(password)));
        }
        if (login.database != 0) {
            commands.add(Encoding.of(Command.SELECT, Keys.bytes(Integer.toString(login.database))));
        }
        return commands;
    }

    /** A name for those who list connections. A user who may not give one does not need it. */
    private List<byte[]> courtesyCommands() {
        String name = login.clientName.replaceAll("[^!-~]", "-");
        return name.isEmpty() ? List.of() : List.of(Encoding.of(Command.CLIENT, SET_NAME, Keys.bytes(name)));
    }
}
