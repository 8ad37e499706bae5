package dev.holdfast.redis.wire;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** How our own connections are made. Immutable. */
public final class ConnectionSettings {
    /** The options that a URL may have for its connections. */
    public static final Set<String> OPTIONS = TlsSettings.OPTIONS;

    /** An option: where servers are reached that call themselves otherwise. */
    public static final String ADDRESS_MAP = AddressMap.OPTION;

    /** The options for sentinels. */
    public static final Set<String> SENTINEL_OPTIONS = Logins.SENTINEL_OPTIONS;

    private static final int LOOKS_PER_TIMEOUT = 16;

    /** A call may be late by two of these: by one because it is cut so late, by one because it takes others along. */
    private static final Duration LONGEST_LOOK_INTERVAL = Duration.ofMillis(25);

    private static final byte[] SET_NAME = Keys.bytes("SETNAME");

    private final Duration timeout;
    private final int maxConnections;
    private final @Nullable Encryption tls;
    private final Login login;
    private final Mapping mapping;
    private final Supplier<ShortWait> shortWaits;

    /** Who connects: asked for at each new connection, because it may have changed. Does not show secrets. */
    private record Login(int database, CredentialsSource who, String clientName) {
        @Override
        public String toString() {
            return clientName;
        }
    }

    /** Where servers are reached. */
    @FunctionalInterface
    private interface Mapping {
        HostAndPort of(HostAndPort told, Deadline deadline);
    }

    private ConnectionSettings(
            Duration timeout,
            int maxConnections,
            @Nullable Encryption tls,
            Login login,
            Mapping mapping,
            Supplier<ShortWait> shortWaits) {
        this.timeout = timeout;
        this.maxConnections = maxConnections;
        this.tls = tls;
        this.login = login;
        this.mapping = mapping;
        this.shortWaits = shortWaits;
    }

    /** Makes settings from what a URL says, and from what a program says beside it. */
    public static ConnectionSettings of(Address address, Settings settings, StoreUri uri, Access access) {
        return new ConnectionSettings(
                settings.timeout(),
                settings.maxConnections(),
                encryption(address, uri, access),
                new Login(address.database(), Logins.forServers(address, access), settings.clientName()),
                mapping(uri, access),
                settings.shortWaits());
    }

    private static Mapping mapping(StoreUri uri, Access access) {
        UnaryOperator<HostAndPort> chosen = access.mapping();
        if (chosen == null) {
            UnaryOperator<HostAndPort> map = AddressMap.of(uri);
            return (told, deadline) -> map.apply(told);
        }
        ProgramCode program = access.program();
        return (told, deadline) -> Objects.requireNonNull(
                program.ask("where servers are reached", () -> Objects.requireNonNull(chosen.apply(told)), deadline));
    }

    private static @Nullable Encryption encryption(Address address, StoreUri uri, Access access) {
        TlsSettings security = TlsSettings.of(uri);
        if (!address.tls()) {
            if (!security.isEmpty()) {
                throw new StoreMisconfiguredException("the option '" + security.firstOption()
                        + "' is for TLS; begin the URL with '" + address.kind().encryptedScheme() + "'");
            }
            return null;
        }
        Encryption given = access.encryption();
        return given != null && security.isEmpty() ? given : Encryption.by(security.context(), true);
    }

    /** The same for sentinels, which have no databases, and users of their own. */
    public ConnectionSettings forSentinels(StoreUri uri, Access access) {
        CredentialsSource who = Logins.forSentinels(uri, access, login.who);
        return new ConnectionSettings(timeout, 1, tls, new Login(0, who, login.clientName), mapping, shortWaits);
    }

    /**
     * Connects, and logs in.
     *
     * @throws BrokenConnection if there is no connection in time
     * @throws ServerRefusal if the server refuses the login
     */
    SocketConnection connect(HostAndPort address, Deadline deadline, Opening opening) {
        return new Connector(reach(address, deadline), tls, shortWaits)
                .connect(loginCommands(deadline), courtesyCommands(), deadline, opening);
    }

    /**
     * Tells where a server is reached that has an address.
     *
     * @throws BrokenConnection if that cannot be told in time
     */
    public HostAndPort reach(HostAndPort told, Deadline deadline) {
        return mapping.of(told, deadline);
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
        return lookInterval(timeout);
    }

    /** How often to look for answers that are overdue after some time. */
    public static Duration lookInterval(Duration timeout) {
        Duration share = Duration.ofNanos(Math.max(1_000_000, timeout.toNanos() / LOOKS_PER_TIMEOUT));
        return share.compareTo(LONGEST_LOOK_INTERVAL) < 0 ? share : LONGEST_LOOK_INTERVAL;
    }

    /** {@return what makes the state of a new encrypted connection to an address; null if connections are plain} */
    public @Nullable Supplier<SSLEngine> engines(HostAndPort address) {
        return tls == null ? null : tls.engines(address);
    }

    /**
     * Asks who logs in, and says so.
     *
     * @return the commands with which a new connection logs in
     * @throws BrokenConnection if nobody tells in time who logs in
     */
    public List<byte[]> loginCommands(Deadline deadline) {
        List<byte[]> commands = new ArrayList<>();
        Credentials who = login.who.ask(deadline);
        if (who != null) {
            byte[] password = Keys.bytes(who.password());
            commands.add(who.user()
                    .map(user -> Encoding.of(Command.AUTH, Keys.bytes(user), password))
                    .orElseGet(() -> Encoding.of(Command.AUTH, password)));
        }
        if (login.database != 0) {
            commands.add(Encoding.of(Command.SELECT, Keys.bytes(Integer.toString(login.database))));
        }
        return commands;
    }

    /** {@return commands that a server may refuse: a name for those who list connections, which not every user may give} */
    public List<byte[]> courtesyCommands() {
        String name = login.clientName.replaceAll("[^!-~]", "-");
        return name.isEmpty() ? List.of() : List.of(Encoding.of(Command.CLIENT, SET_NAME, Keys.bytes(name)));
    }
}
