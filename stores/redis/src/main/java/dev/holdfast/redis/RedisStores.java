package dev.holdfast.redis;

import dev.holdfast.StoreFactory;
import dev.holdfast.redis.lent.JedisClients;
import dev.holdfast.redis.wire.Settings;
import java.util.Map;
import java.util.Objects;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/**
 * Makes stores from Jedis clients that the program already has, of any version from 5.2 on:
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().store(RedisStores.using(client)).build();
 * }</pre>
 *
 * <p>The client stays the program's: it is not closed with the store, and its limits and timeouts count. One connection
 * of it is kept for messages as long as the store is open, so its pool needs at least two. Thread-safe.
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
}
