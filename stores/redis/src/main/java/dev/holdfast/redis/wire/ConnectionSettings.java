package dev.holdfast.redis.wire;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.ShortWait;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;

/** How our own connections are made. Immutable. */
public final class ConnectionSettings {
    /** An option: a file with the certificate of the authority that signed the server's, for TLS. */
    public static final String AUTHORITY = "ca";

    private static final int LOOKS_PER_TIMEOUT = 8;

    private final Duration timeout;
    private final int maxConnections;
    private final @Nullable SSLContext tls;
    private final JedisClientConfig login;
    private final Supplier<ShortWait> shortWaits;

    private ConnectionSettings(
            Duration timeout,
            int maxConnections,
            @Nullable SSLContext tls,
            JedisClientConfig login,
            Supplier<ShortWait> shortWaits) {
        this.timeout = timeout;
        this.maxConnections = maxConnections;
        this.tls = tls;
        this.login = login;
        this.shortWaits = shortWaits;
    }

    public static ConnectionSettings of(Address address, Settings settings, @Nullable String authorityFile) {
        if (authorityFile != null && !address.tls()) {
            throw new StoreMisconfiguredException("the option '" + AUTHORITY + "' is for TLS; begin the URL with '"
                    + address.kind().encryptedScheme() + "'");
        }
        return new ConnectionSettings(
                settings.timeout(),
                settings.maxConnections(),
                address.tls() ? context(authorityFile) : null,
                login(settings.timeout(), address.database(), address.user(), address.password()),
                settings.shortWaits());
    }

    /** The same for sentinels, which have no databases, and users of their own. */
    public ConnectionSettings forSentinels(@Nullable Address login) {
        return new ConnectionSettings(
                timeout,
                1,
                tls,
                login == null ? login(timeout, 0, null, null) : login(timeout, 0, login.user(), login.password()),
                shortWaits);
    }

    /** Connects, and logs in. Answers are awaited for the timeout at most. */
    public Connection connect(HostAndPort address) {
        return connect(dialler(address));
    }

    /** The same, where it matters whom the dialler reaches. */
    public Connection connect(Connector dialler) {
        return new Connection(dialler, login);
    }

    Connector dialler(HostAndPort address) {
        return new Connector(address, millis(timeout), tls, shortWaits);
    }

    int maxConnections() {
        return maxConnections;
    }

    public long timeoutNanos() {
        return timeout.toNanos();
    }

    /** How often to look for overdue answers. */
    public Duration lookInterval() {
        return Duration.ofNanos(Math.max(1_000_000, timeout.toNanos() / LOOKS_PER_TIMEOUT));
    }

    /** When an answer is overdue, so that it is noticed by the timeout. */
    long overdueNanos() {
        return timeout.toNanos() - timeout.toNanos() / LOOKS_PER_TIMEOUT;
    }

    /** An encrypted socket cannot always be closed by another thread at once, so its reads are timed. */
    boolean keepsSocketTimeout() {
        return tls != null;
    }

    private static JedisClientConfig login(
            Duration timeout, int database, @Nullable String user, @Nullable String password) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .connectionTimeoutMillis(millis(timeout))
                .socketTimeoutMillis(millis(timeout))
                .database(database)
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
        if (password != null) {
            config.user(user).password(password);
        }
        return config.build();
    }

    private static int millis(Duration timeout) {
        return Math.toIntExact(Math.max(1, timeout.toMillis()));
    }

    private static SSLContext context(@Nullable String authorityFile) {
        try {
            return authorityFile == null ? SSLContext.getDefault() : trusting(authorityFile);
        } catch (IOException | GeneralSecurityException unreadable) {
            throw new StoreMisconfiguredException(
                    authorityFile == null
                            ? "this Java cannot do TLS as it is set up"
                            : "the option '" + AUTHORITY + "' must name a file with certificates in PEM form",
                    unreadable);
        }
    }

    private static SSLContext trusting(String authorityFile) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(Path.of(authorityFile))) {
            int count = 0;
            for (Certificate authority : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("authority-" + count++, authority);
            }
            if (count == 0) {
                throw new IOException("there is no certificate in " + authorityFile);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
