package dev.holdfast.redis.taken;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Encryption;
import dev.holdfast.redis.wire.HostAndPort;
import io.lettuce.core.ClientOptions;
import java.lang.reflect.Field;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** Takes over what the connections of Spring Data Redis are made with. */
public final class SpringSettings {
    private SpringSettings() {}

    /** Takes over the settings of a factory with Lettuce or Jedis. */
    public static TakenSettings of(RedisConnectionFactory factory) {
        // By its name: to look whether it is one of Lettuce would need Lettuce.
        if (isA(factory, "LettuceConnectionFactory")) {
            return Lettuce.of(factory);
        }
        if (isA(factory, "JedisConnectionFactory")) {
            return Jedis.of(factory);
        }
        throw new StoreMisconfiguredException(
                "the settings of a " + factory.getClass().getName() + " are not known; use RedisStores.at(…)");
    }

    private static boolean isA(RedisConnectionFactory factory, String name) {
        for (Class<?> type = factory.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getSimpleName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** What a factory connects to; all but one of the three are null. */
    private record Topology(
            @Nullable RedisSentinelConfiguration sentinel,
            @Nullable RedisClusterConfiguration cluster,
            @Nullable RedisStandaloneConfiguration one) {
        static Topology of(
                Object factory,
                @Nullable RedisSentinelConfiguration sentinel,
                @Nullable RedisClusterConfiguration cluster,
                @Nullable RedisStandaloneConfiguration one) {
            if (sentinel == null && cluster == null && isSomethingElse(factory)) {
                throw new StoreMisconfiguredException(
                        "of Spring's settings of Redis, one server, Sentinel and Cluster can be taken over;"
                                + " these are others");
            }
            return new Topology(sentinel, cluster, one == null ? new RedisStandaloneConfiguration() : one);
        }

        /** Other kinds have no getter of their own, and the factory would name a server that nobody has configured. */
        private static boolean isSomethingElse(Object factory) {
            for (Class<?> type = factory.getClass(); type != null; type = type.getSuperclass()) {
                try {
                    Field field = type.getDeclaredField("configuration");
                    field.setAccessible(true);
                    return field.get(factory) instanceof RedisConfiguration configured
                            && !(configured instanceof RedisConfiguration.WithHostAndPort);
                } catch (ReflectiveOperationException | RuntimeException hidden) {
                    continue;
                }
            }
            return false;
        }

        RedisConfiguration configuration() {
            return Objects.requireNonNull(sentinel != null ? sentinel : cluster != null ? cluster : one);
        }

        String url(boolean tls) {
            if (sentinel != null) {
                return TakenSettings.sentinel(
                        tls,
                        hosts(sentinel.getSentinels()),
                        sentinel.getMaster() == null
                                ? null
                                : sentinel.getMaster().getName(),
                        sentinel.getDatabase());
            }
            if (cluster != null) {
                return TakenSettings.cluster(tls, hosts(cluster.getClusterNodes()));
            }
            RedisStandaloneConfiguration server = Objects.requireNonNull(one);
            return TakenSettings.server(
                    tls, new HostAndPort(server.getHostName(), server.getPort()), server.getDatabase());
        }

        /** Asked again and again, because an application may change them. */
        Supplier<@Nullable Credentials> credentials() {
            RedisConfiguration configured = configuration();
            return () -> configured instanceof RedisConfiguration.WithPassword with
                    ? credentialsOf(with.getUsername(), with.getPassword())
                    : null;
        }

        @Nullable
        Supplier<@Nullable Credentials> sentinelCredentials() {
            RedisSentinelConfiguration configured = sentinel;
            return configured == null
                    ? null
                    : () -> credentialsOf(configured.getSentinelUsername(), configured.getSentinelPassword());
        }

        private static @Nullable Credentials credentialsOf(@Nullable String user, RedisPassword password) {
            return password.isPresent() ? TakenSettings.credentials(user, password.get()) : null;
        }

        private static List<HostAndPort> hosts(Collection<RedisNode> nodes) {
            return nodes.stream()
                    .map(node -> new HostAndPort(
                            Objects.requireNonNull(node.getHost(), "a Redis node has no host"),
                            Objects.requireNonNullElse(node.getPort(), RedisNode.DEFAULT_PORT)))
                    .toList();
        }
    }

    /** Only touched if Lettuce is there. */
    private static final class Lettuce {
        static TakenSettings of(Object bean) {
            LettuceConnectionFactory factory = (LettuceConnectionFactory) bean;
            LettuceClientConfiguration client = factory.getClientConfiguration();
            Topology topology = Topology.of(
                    factory,
                    factory.getSentinelConfiguration(),
                    factory.getClusterConfiguration(),
                    factory.getStandaloneConfiguration());
            Encryption encryption = client.isUseSsl()
                    ? LettuceSettings.encryption(
                            client.getClientOptions().orElseGet(ClientOptions::create), client.getVerifyMode())
                    : null;
            RedisCredentialsProviderFactory providers =
                    client.getRedisCredentialsProviderFactory().orElse(null);
            RedisSentinelConfiguration sentinel = topology.sentinel();
            Access access = providers == null
                    ? new Access(topology.credentials(), topology.sentinelCredentials(), encryption, null)
                    : new Access(
                            LettuceSettings.credentials(providers.createCredentialsProvider(topology.configuration())),
                            sentinel == null
                                    ? null
                                    : LettuceSettings.credentials(
                                            providers.createSentinelCredentialsProvider(sentinel)),
                            encryption,
                            null);
            return new TakenSettings(topology.url(client.isUseSsl()), access);
        }
    }

    /** Only touched if Jedis is there. */
    private static final class Jedis {
        static TakenSettings of(Object bean) {
            JedisConnectionFactory factory = (JedisConnectionFactory) bean;
            JedisClientConfiguration client = factory.getClientConfiguration();
            Topology topology = Topology.of(
                    factory,
                    factory.getSentinelConfiguration(),
                    factory.getClusterConfiguration(),
                    factory.getStandaloneConfiguration());
            return new TakenSettings(
                    topology.url(client.isUseSsl()),
                    new Access(
                            topology.credentials(),
                            topology.sentinelCredentials(),
                            client.isUseSsl() ? encryption(client) : null,
                            null));
        }

        private static Encryption encryption(JedisClientConfiguration client) {
            return client.getSslSocketFactory()
                    .map(sockets -> new Encryption(null, sockets, true))
                    .orElseGet(() -> {
                        try {
                            return Encryption.by(SSLContext.getDefault(), true);
                        } catch (NoSuchAlgorithmException unusable) {
                            throw new StoreMisconfiguredException("this Java cannot do TLS as it is set up", unusable);
                        }
                    });
        }
    }
}
