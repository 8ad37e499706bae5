package dev.holdfast.spring.autoconfigure;

import dev.holdfast.Credentials;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.spring.HoldfastStartupException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Locks on the application's Redis. The settings of its connection factory are taken over, with whatever client it uses;
 * the connections are Holdfast's own.
 */
final class RedisAdapter implements StoreFinder.Adapter {

    @Override
    public Consumer<HoldfastBuilder> adapt(Object bean, Map<String, String> options) {
        Settings settings =
                Lettuce.isIt(bean) ? Lettuce.settings(bean) : Jedis.isIt(bean) ? Jedis.settings(bean) : null;
        if (settings == null) {
            throw new HoldfastStartupException(
                    "the settings of " + bean.getClass().getName() + " are not known",
                    "set 'holdfast.url' to the address of Redis");
        }
        return builder -> {
            settings.apply(builder);
            options.forEach(builder::option);
        };
    }

    /** What the factories know; all but one of the three are null. */
    private record Settings(
            boolean encrypted,
            @Nullable RedisSentinelConfiguration sentinel,
            @Nullable RedisClusterConfiguration cluster,
            RedisStandaloneConfiguration standalone) {

        void apply(HoldfastBuilder builder) {
            String scheme = encrypted ? "rediss" : "redis";
            if (cluster != null) {
                builder.url(scheme + "+cluster://" + addresses(cluster.getClusterNodes()));
                credentials(builder, cluster.getUsername(), cluster.getPassword());
            } else if (sentinel != null) {
                String master = Objects.requireNonNull(
                                sentinel.getMaster(), "the settings of Redis Sentinel name no master")
                        .getName();
                builder.url(scheme + "+sentinel://" + addresses(sentinel.getSentinels()) + "/" + master
                        + database(sentinel.getDatabase()));
                credentials(builder, sentinel.getUsername(), sentinel.getPassword());
                sentinelLogin(builder, sentinel);
            } else {
                builder.url(scheme + "://" + host(standalone.getHostName()) + ":" + standalone.getPort()
                        + database(standalone.getDatabase()));
                credentials(builder, standalone.getUsername(), standalone.getPassword());
            }
        }

        private static String database(int number) {
            return number == 0 ? "" : "/" + number;
        }

        private static void sentinelLogin(HoldfastBuilder builder, RedisSentinelConfiguration sentinel) {
            RedisPassword forSentinels = sentinel.getSentinelPassword();
            if (!forSentinels.isPresent()) {
                return;
            }
            if (!forSentinels.equals(sentinel.getPassword())
                    || !Objects.equals(sentinel.getSentinelUsername(), sentinel.getUsername())) {
                throw new HoldfastStartupException(
                        "the sentinels have other credentials than Redis, which holdfast-redis cannot use",
                        "give both the same user and password, or set 'holdfast.url'");
            }
            builder.option("sentinelLogin", "same");
        }

        private static void credentials(HoldfastBuilder builder, @Nullable String user, RedisPassword password) {
            if (password.isPresent()) {
                String secret = new String(password.get());
                builder.credentials(user == null ? Credentials.ofPassword(secret) : Credentials.of(user, secret));
            }
        }

        private static String addresses(Collection<RedisNode> nodes) {
            return nodes.stream()
                    .map(node -> host(Objects.requireNonNull(node.getHost(), "a Redis node has no host")) + ":"
                            + Objects.requireNonNullElse(node.getPort(), RedisNode.DEFAULT_PORT))
                    .collect(Collectors.joining(","));
        }

        private static String host(String name) {
            return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
        }
    }

    /** Only touched if Lettuce is there. */
    private static final class Lettuce {
        static boolean isIt(Object bean) {
            return present("io.lettuce.core.RedisClient") && bean instanceof LettuceConnectionFactory;
        }

        static Settings settings(Object bean) {
            LettuceConnectionFactory factory = (LettuceConnectionFactory) bean;
            return new Settings(
                    factory.isUseSsl(),
                    factory.getSentinelConfiguration(),
                    factory.getClusterConfiguration(),
                    factory.getStandaloneConfiguration());
        }
    }

    /** Only touched if Jedis is there. */
    private static final class Jedis {
        static boolean isIt(Object bean) {
            return present("redis.clients.jedis.Jedis") && bean instanceof JedisConnectionFactory;
        }

        static Settings settings(Object bean) {
            JedisConnectionFactory factory = (JedisConnectionFactory) bean;
            return new Settings(
                    factory.isUseSsl(),
                    factory.getSentinelConfiguration(),
                    factory.getClusterConfiguration(),
                    Objects.requireNonNullElseGet(
                            factory.getStandaloneConfiguration(), RedisStandaloneConfiguration::new));
        }
    }

    private static boolean present(String type) {
        return ClassUtils.isPresent(type, RedisAdapter.class.getClassLoader());
    }
}
