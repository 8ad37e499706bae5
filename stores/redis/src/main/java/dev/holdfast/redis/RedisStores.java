package dev.holdfast.redis;

import dev.holdfast.StoreFactory;
import dev.holdfast.redis.lock.RedisStore;
import dev.holdfast.redis.topology.ClusterDeployment;
import dev.holdfast.redis.topology.OneServer;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.JedisVersion;
import dev.holdfast.redis.wire.LentServer;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.StoreContext;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.Pool;

/**
 * Makes stores from Jedis clients that the program already has:
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
     * Uses a client of one server.
     *
     * @param client the client
     * @return opens the store
     */
    public static StoreFactory using(RedisClient client) {
        Objects.requireNonNull(client, "client");
        return context -> one(context, () -> borrow(client.getPool()));
    }

    /**
     * Uses a pool of one server or, as {@code JedisSentinelPool}, of a master that sentinels watch.
     *
     * @param pool the pool
     * @return opens the store
     */
    public static StoreFactory using(Pool<Jedis> pool) {
        Objects.requireNonNull(pool, "pool");
        return context -> one(context, () -> {
            Jedis jedis = pool.getResource();
            return new Borrowed(jedis.getConnection(), jedis::close);
        });
    }

    /**
     * Uses a client of a cluster.
     *
     * @param client the client
     * @return opens the store
     */
    public static StoreFactory using(RedisClusterClient client) {
        Objects.requireNonNull(client, "client");
        return context -> {
            Settings settings = settings(context);
            Clocks clocks = new Clocks(context.clock());
            Function<HostAndPort, Server> servers =
                    address -> new LentServer(address.toString(), () -> borrow(client, address), clocks);
            Supplier<Collection<HostAndPort>> seeds = () -> client.getClusterNodes().keySet().stream()
                    .map(HostAndPort::from)
                    .toList();
            ClusterDeployment cluster = new ClusterDeployment(
                    seeds, servers, settings.timeout().toNanos(), context.clock(), context.random());
            return RedisStore.open(context, settings, cluster, clocks, () -> {});
        };
    }

    private static RedisStore one(StoreContext context, Supplier<LentServer.Loan> lender) {
        Settings settings = settings(context);
        Clocks clocks = new Clocks(context.clock());
        Server server = new LentServer("the given client's server", lender, clocks);
        return RedisStore.open(context, settings, new OneServer(server), clocks, () -> {});
    }

    private static Settings settings(StoreContext context) {
        JedisVersion.check();
        return Settings.defaults(context);
    }

    private static LentServer.Loan borrow(RedisClusterClient client, HostAndPort address) {
        ConnectionPool pool = client.getClusterNodes().get(address.toString());
        if (pool == null) {
            throw new JedisConnectionException("the given client does not know " + address + " yet");
        }
        return borrow(pool);
    }

    private static LentServer.Loan borrow(Pool<Connection> pool) {
        Connection connection = pool.getResource();
        return new Borrowed(connection, connection::close);
    }

    /** A connection, and how to give it back. */
    private record Borrowed(Connection connection, Runnable back) implements LentServer.Loan {
        @Override
        public void giveBack() {
            back.run();
        }
    }
}
