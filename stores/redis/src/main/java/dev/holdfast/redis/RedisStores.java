package dev.holdfast.redis;

import dev.holdfast.StoreFactory;
import dev.holdfast.redis.lent.JedisClients;
import dev.holdfast.redis.taken.JedisSettings;
import dev.holdfast.redis.taken.LettuceSettings;
import dev.holdfast.redis.taken.SpringSettings;
import dev.holdfast.redis.taken.TakenSettings;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Settings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/**
 * Makes stores from what the program already has: a URL, a Jedis client, or the settings of Lettuce, Spring or Jedis.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().store(RedisStores.using(jedis)).build();
 * Holdfast locks = Holdfast.builder().store(RedisStores.fromLettuce(client)).build();
 * }</pre>
 *
 * <p>{@code using} works through a Jedis client, of any version from 5.2 on. The client stays the program's: it is not closed
 * with the store, and its limits and timeouts count, but no call waits longer than the command timeout for them. One connection
 * of it is kept for messages as long as the store is open, so its pool needs at least two. All other methods take over addresses, credentials and TLS, and open connections of
 * their own. A library is needed only by the methods that name its classes. Thread-safe.
 */
public final class RedisStores {
    private RedisStores() {}

    /**
     * Uses a client of one server ({@code RedisClient}, {@code JedisPooled}), of a master that sentinels watch
     * ({@code RedisSentinelClient}, {@code JedisSentineled}), or of a cluster ({@code RedisClusterClient},
     * {@code JedisCluster}).
     *
     * @param client the client
     * @return opens the store
     */
    public static StoreFactory using(UnifiedJedis client) {
        return using(client, Map.of());
    }

    /**
     * Uses such a client, with options as a URL has them after {@code #}.
     *
     * @param client the client
     * @param options {@code prefix}, {@code replicas} or {@code replicasTimeout}; what concerns connections is the client's
     * @return opens the store
     */
    public static StoreFactory using(UnifiedJedis client, Map<String, String> options) {
        Objects.requireNonNull(client, "client");
        Map<String, String> chosen = Map.copyOf(options);
        return context -> JedisClients.open(client, Settings.of(chosen, context), context);
    }

    /**
     * Uses a pool of one server or, as {@code JedisSentinelPool}, of a master that sentinels watch.
     *
     * @param pool the pool
     * @return opens the store
     */
    public static StoreFactory using(Pool<Jedis> pool) {
        return using(pool, Map.of());
    }

    /**
     * Uses such a pool, with options as a URL has them after {@code #}.
     *
     * @param pool the pool
     * @param options {@code prefix}, {@code replicas} or {@code replicasTimeout}; what concerns connections is the pool's
     * @return opens the store
     */
    public static StoreFactory using(Pool<Jedis> pool, Map<String, String> options) {
        Objects.requireNonNull(pool, "pool");
        Map<String, String> chosen = Map.copyOf(options);
        return context -> JedisClients.open(pool, Settings.of(chosen, context), context);
    }

    /**
     * Connects by a URL, for what a URL cannot say: credentials that change, an {@code SSLContext}, a mapping of addresses.
     *
     * @param url as for {@code Holdfast.connect}: one server, Sentinel, a cluster, or the nodes of a quorum
     * @return opens the store
     */
    public static RedisConnections at(String url) {
        return RedisConnections.of(url, Access.BY_URL);
    }

    /**
     * Takes over the settings of a Lettuce client of one server or of a master that sentinels watch.
     *
     * @param client the client, which must have been made with an address
     * @return opens the store
     */
    public static RedisConnections fromLettuce(RedisClient client) {
        return taken(LettuceSettings.of(client));
    }

    /**
     * Takes over the settings of a Lettuce client of a cluster.
     *
     * @param client the client
     * @return opens the store
     */
    public static RedisConnections fromLettuce(RedisClusterClient client) {
        return taken(LettuceSettings.of(client));
    }

    /**
     * Takes over what a Lettuce client is made from.
     *
     * @param uri one server, or a master that sentinels watch
     * @param options whom to trust, for TLS
     * @return opens the store
     */
    public static RedisConnections fromLettuce(RedisURI uri, ClientOptions options) {
        return taken(LettuceSettings.of(uri, options));
    }

    /**
     * Takes over the settings of Spring's connections: one server, Sentinel or a cluster, with Lettuce or Jedis.
     *
     * @param factory the application's
     * @return opens the store
     */
    public static RedisConnections fromSpring(RedisConnectionFactory factory) {
        return taken(SpringSettings.of(factory));
    }

    /**
     * Takes over what a Jedis client of one server is made from.
     *
     * @param address where the server is
     * @param config how to connect to it
     * @return opens the store
     */
    public static RedisConnections fromJedis(HostAndPort address, JedisClientConfig config) {
        return taken(JedisSettings.of(address, config));
    }

    /**
     * Makes one store of several independent servers, by Redlock, each with settings of its own.
     *
     * @param nodes from three to 31 servers; all clients must name the same ones
     * @param options as a URL has them after {@code redlock://…#}, such as {@code maxLease}; those of the nodes that do not
     *     concern connections are not looked at
     * @return opens the store
     */
    public static StoreFactory redlock(List<RedisConnections> nodes, Map<String, String> options) {
        List<RedisConnections> all = List.copyOf(nodes);
        Map<String, String> chosen = Map.copyOf(options);
        return context -> RedisConnections.open(all, chosen, context);
    }

    private static RedisConnections taken(TakenSettings settings) {
        return RedisConnections.of(settings.url(), settings.access());
    }
}
