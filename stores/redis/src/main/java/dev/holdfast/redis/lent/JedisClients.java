package dev.holdfast.redis.lent;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.lock.RedisStore;
import dev.holdfast.redis.topology.ClusterDeployment;
import dev.holdfast.redis.topology.Deployment;
import dev.holdfast.redis.topology.LentSentinel;
import dev.holdfast.redis.topology.MemberThreads;
import dev.holdfast.redis.topology.OneServer;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.StoreContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.Pool;

/**
 * Opens stores over clients of Jedis, from 5.2 on. Its clients have changed their classes, but not their methods: what a
 * client can do is found by the methods it has.
 */
public final class JedisClients {
    private static final String OWN_SERVER = "the given client's server";

    private JedisClients() {}

    /** Opens a store over a client of one server, of a master that sentinels watch, or of a cluster. */
    public static RedisStore open(UnifiedJedis client, Settings settings, StoreContext context) {
        Borrowers borrowers = new Borrowers(context);
        Deployment deployment;
        if (method(client, "getClusterNodes") != null) {
            deployment = cluster(client, context, borrowers);
        } else if (method(client, "getPool") != null) {
            Pool<?> pool = (Pool<?>) call(client, "getPool");
            deployment = new OneServer(borrowers.from(OWN_SERVER, new PoolLender(pool)));
        } else if (method(client, "getCurrentMaster") != null) {
            if (settings.replicas() != null) {
                throw new StoreMisconfiguredException(
                        "the option 'replicas' needs a connection for itself, which a client of Sentinel does not lend");
            }
            deployment = new LentSentinel(new SentinelClientServer(client, borrowers.clocks, borrowers.aside));
        } else {
            throw new StoreMisconfiguredException("a " + client.getClass().getName()
                    + " lends no connections; give a client of one server, of Sentinel or of a cluster");
        }
        return borrowers.open(settings, deployment);
    }

    /** Opens a store over a pool of one server, or of a master that sentinels watch. */
    public static RedisStore open(Pool<Jedis> pool, Settings settings, StoreContext context) {
        Borrowers borrowers = new Borrowers(context);
        Server server = borrowers.from(OWN_SERVER, new PoolLender(pool));
        // By its method, because not every version has the class.
        boolean watched = method(pool, "getCurrentHostMaster") != null;
        return borrowers.open(settings, watched ? new LentSentinel(server) : new OneServer(server));
    }

    private static Deployment cluster(UnifiedJedis client, StoreContext context, Borrowers borrowers) {
        Function<HostAndPort, Server> servers =
                address -> borrowers.from(address.toString(), new ClusterLender(client, address));
        Supplier<Collection<HostAndPort>> seeds = () -> nodes(client).keySet().stream()
                .map(each -> HostAndPort.of(String.valueOf(each)))
                .toList();
        return new ClusterDeployment(
                seeds, servers, borrowers.threads, context.commandTimeout(), context.clock(), context.random());
    }

    private static Map<?, ?> nodes(UnifiedJedis client) {
        return (Map<?, ?>) call(client, "getClusterNodes");
    }

    /** What all servers of one store share. */
    private static final class Borrowers {
        private final StoreContext context;
        private final Clocks clocks;
        private final MemberThreads threads;
        private final Aside aside;
        private final OverdueWatch watch;

        Borrowers(StoreContext context) {
            this.context = context;
            this.clocks = new Clocks(context.clock());
            this.threads = new MemberThreads(context.clientName());
            this.aside = new Aside(threads);
            this.watch = new OverdueWatch(context, ConnectionSettings.lookInterval(context.commandTimeout()));
        }

        Server from(String where, Lender lender) {
            return new LentServer(
                    where, lender, clocks, aside, watch, () -> Deadline.in(context.clock(), context.commandTimeout()));
        }

        RedisStore open(Settings settings, Deployment deployment) {
            return RedisStore.open(context, settings, deployment, clocks, threads, watch::close);
        }
    }

    private static @Nullable Method method(Object client, String name) {
        try {
            return client.getClass().getMethod(name);
        } catch (NoSuchMethodException another) {
            return null;
        }
    }

    static Object call(Object client, String name) {
        try {
            Object result = client.getClass().getMethod(name).invoke(client);
            if (result == null) {
                throw new JedisConnectionException("the given client is closed");
            }
            return result;
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(failed);
        } catch (ReflectiveOperationException notCallable) {
            throw new StoreMisconfiguredException("the given client cannot be used", notCallable);
        }
    }
}
