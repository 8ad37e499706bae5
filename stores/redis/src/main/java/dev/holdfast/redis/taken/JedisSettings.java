package dev.holdfast.redis.taken;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Encryption;
import dev.holdfast.redis.wire.HostAndPort;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

/** Takes over what a client of Jedis is made from, of any version from 5.2 on. */
public final class JedisSettings {
    private JedisSettings() {}

    /** Takes over the settings of one server. */
    public static TakenSettings of(redis.clients.jedis.HostAndPort address, JedisClientConfig config) {
        HostAndPort server = new HostAndPort(address.getHost(), address.getPort());
        Encryption encryption = encryption(config);
        Access access = new Access(credentials(config), null, encryption, mapping(config));
        return new TakenSettings(TakenSettings.server(encryption != null, server, config.getDatabase()), access);
    }

    private static Supplier<@Nullable Credentials> credentials(JedisClientConfig config) {
        Supplier<RedisCredentials> provider = config.getCredentialsProvider();
        return () -> {
            RedisCredentials now = provider == null ? null : provider.get();
            return now == null
                    ? TakenSettings.credentials(config.getUser(), chars(config.getPassword()))
                    : TakenSettings.credentials(now.getUser(), now.getPassword());
        };
    }

    private static char @Nullable [] chars(@Nullable String password) {
        return password == null ? null : password.toCharArray();
    }

    @SuppressWarnings("deprecation") // Its successor is not in all versions.
    private static @Nullable Encryption encryption(JedisClientConfig config) {
        try {
            SslOptions options = options(config);
            if (options != null) {
                return Encryption.by(options.createSslContext(), options.getSslVerifyMode() == SslVerifyMode.FULL);
            }
            if (!config.isSsl()) {
                return null;
            }
            SSLSocketFactory sockets = config.getSslSocketFactory();
            return sockets == null ? Encryption.by(SSLContext.getDefault(), true) : new Encryption(null, sockets, true);
        } catch (NoSuchAlgorithmException unusable) {
            throw new StoreMisconfiguredException("this Java cannot do TLS as it is set up", unusable);
        } catch (GeneralSecurityException | IOException unusable) {
            throw new StoreMisconfiguredException("the TLS settings of Jedis cannot be used", unusable);
        }
    }

    private static @Nullable SslOptions options(JedisClientConfig config) {
        try {
            return config.getSslOptions();
        } catch (NoSuchMethodError olderJedis) {
            return null;
        }
    }

    private static @Nullable UnaryOperator<HostAndPort> mapping(JedisClientConfig config) {
        HostAndPortMapper mapper = config.getHostAndPortMapper();
        if (mapper == null) {
            return null;
        }
        return told -> {
            redis.clients.jedis.HostAndPort real =
                    mapper.getHostAndPort(new redis.clients.jedis.HostAndPort(told.host(), told.port()));
            return new HostAndPort(real.getHost(), real.getPort());
        };
    }
}
