package dev.holdfast.redis.taken;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Encryption;
import dev.holdfast.redis.wire.HostAndPort;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.RedisClusterClient;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.lang.reflect.Field;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes over what clients of Lettuce connect with. Their credentials are asked for at each connection, as they do it. */
public final class LettuceSettings {
    private LettuceSettings() {}

    /** Takes over the settings of one server, or of a master that sentinels watch. */
    public static TakenSettings of(RedisClient client) {
        return of((RedisURI) field(client, RedisClient.class, "redisURI"), client.getOptions());
    }

    /** Takes over the settings of a cluster. */
    public static TakenSettings of(RedisClusterClient client) {
        List<HostAndPort> members = new ArrayList<>();
        RedisURI first = null;
        for (Object each : (Iterable<?>) field(client, RedisClusterClient.class, "initialUris")) {
            RedisURI uri = checked((RedisURI) each);
            members.add(new HostAndPort(uri.getHost(), uri.getPort()));
            first = first == null ? uri : first;
        }
        if (first == null) {
            throw new StoreMisconfiguredException("the given client of a cluster has no addresses");
        }
        return new TakenSettings(
                TakenSettings.cluster(first.isSsl(), members), access(first, client.getOptions(), null));
    }

    /** Takes over what a client is made from. */
    public static TakenSettings of(RedisURI uri, ClientOptions options) {
        List<RedisURI> sentinels = uri.getSentinels();
        if (sentinels.isEmpty()) {
            checked(uri);
            HostAndPort server = new HostAndPort(uri.getHost(), uri.getPort());
            return new TakenSettings(
                    TakenSettings.server(uri.isSsl(), server, uri.getDatabase()), access(uri, options, null));
        }
        List<HostAndPort> hosts = sentinels.stream()
                .map(LettuceSettings::checked)
                .map(each -> new HostAndPort(each.getHost(), each.getPort()))
                .toList();
        return new TakenSettings(
                TakenSettings.sentinel(uri.isSsl(), hosts, uri.getSentinelMasterId(), uri.getDatabase()),
                access(uri, options, credentials(sentinels.get(0).getCredentialsProvider())));
    }

    /** {@return what asks a provider of Lettuce for credentials} */
    static Supplier<@Nullable Credentials> credentials(@Nullable RedisCredentialsProvider provider) {
        return () -> {
            RedisCredentials now =
                    provider == null ? null : provider.resolveCredentials().block();
            return now == null ? null : TakenSettings.credentials(now.getUsername(), now.getPassword());
        };
    }

    /** {@return encryption as Lettuce would do it} */
    static Encryption encryption(ClientOptions options, SslVerifyMode verification) {
        try {
            SslContextBuilder builder = options.getSslOptions().createSslContextBuilder();
            if (verification == SslVerifyMode.NONE) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            }
            JdkSslContext made =
                    (JdkSslContext) builder.sslProvider(SslProvider.JDK).build();
            return Encryption.by(made.context(), verification == SslVerifyMode.FULL);
        } catch (IOException | GeneralSecurityException unusable) {
            throw new StoreMisconfiguredException("the TLS settings of Lettuce cannot be used", unusable);
        }
    }

    private static Access access(
            RedisURI uri, ClientOptions options, @Nullable Supplier<@Nullable Credentials> sentinelCredentials) {
        return new Access(
                credentials(uri.getCredentialsProvider()),
                sentinelCredentials,
                uri.isSsl() ? encryption(options, uri.getVerifyMode()) : null,
                null);
    }

    private static RedisURI checked(RedisURI uri) {
        if (uri.getHost() == null) {
            throw new StoreMisconfiguredException(
                    uri.getSocket() == null
                            ? "the given client was made without an address; give the RedisURI that it connects to"
                            : "Unix domain sockets are not supported; give the address of a server");
        }
        if (uri.isStartTls()) {
            throw new StoreMisconfiguredException("StartTLS is not supported; give the address of a port for TLS");
        }
        return uri;
    }

    /** Lettuce does not tell what a client was made with. */
    private static Object field(AbstractRedisClient client, Class<?> of, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            Object value = field.get(client);
            if (value != null) {
                return value;
            }
        } catch (ReflectiveOperationException | RuntimeException hidden) {
            throw unknown(hidden);
        }
        throw unknown(null);
    }

    private static StoreMisconfiguredException unknown(@Nullable Exception cause) {
        return new StoreMisconfiguredException(
                "this version of Lettuce does not let the address of its client be read; give the RedisURI", cause);
    }
}
