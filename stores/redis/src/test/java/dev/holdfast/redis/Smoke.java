package dev.holdfast.redis;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.UnifiedJedis;

/** Uses what there is, once, in a process of its own with another Jedis. Prints "fine", or why not. */
final class Smoke {
    private Smoke() {}

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        try (Holdfast locks = Holdfast.connect(url);
                Holdfast others = Holdfast.connect(url)) {
            LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofMillis(500));
            Lease held = locks.lock("smoke", brief).acquire();
            CompletableFuture<Lease> waiter = others.lock("smoke", brief).acquireAsync();
            long until = System.nanoTime() + brief.leaseTime().multipliedBy(2).toNanos();
            while (System.nanoTime() - until < 0) {
                held.ensureHeld();
                Thread.onSpinWait();
            }
            require(locks.inspect("smoke").orElseThrow().waiters().size() == 1);
            require(held.release());
            Lease second = waiter.get(20, TimeUnit.SECONDS);
            require(second.token() > held.token());
            require(locks.list("smoke", 10).size() == 1);
            require(locks.evict("smoke", "smoke") == 1);
            try (Holdfast typed = Holdfast.builder().store(RedisStores.at(url)).build()) {
                require(typed.lock("typed").acquire().release());
            }
            String lent = "";
            if (arguments.length > 2) {
                lent = " with " + LentClient.useSentinels(arguments[1], arguments[2]) + " and "
                        + LentClient.useCluster(arguments[3]);
            } else if (arguments.length > 1) {
                Lent.use(Integer.parseInt(arguments[1]));
                lent = " with a pool and " + LentClient.use(Integer.parseInt(arguments[1]));
            }
            System.out.println("fine" + lent);
        } catch (HoldfastException refused) {
            System.out.println(refused.getMessage());
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("not as expected");
        }
    }

    /** Apart, because there may be no Jedis. */
    private static final class Lent {
        private Lent() {}

        @SuppressWarnings("deprecation") // All versions have it.
        static void use(int port) throws InterruptedException {
            try (JedisPool pool = new JedisPool("127.0.0.1", port);
                    Holdfast lent =
                            Holdfast.builder().store(RedisStores.using(pool)).build()) {
                require(lent.lock("lent").acquire().release());
            }
        }
    }

    /** The client of that version: the classes have changed, not their methods. */
    private static final class LentClient {
        private LentClient() {}

        static String use(int port) throws InterruptedException, ReflectiveOperationException {
            try (UnifiedJedis client = make(port);
                    Holdfast lent =
                            Holdfast.builder().store(RedisStores.using(client)).build()) {
                Lease lease = lent.lock("lent").acquire();
                RedisFence fence = RedisFence.around("lent", client, "smoke");
                fence.write(lease, "x");
                require(fence.read(lease).orElseThrow().equals("x"));
                require(lease.release());
                return client.getClass().getSimpleName();
            }
        }

        static String useSentinels(String master, String hosts)
                throws InterruptedException, ReflectiveOperationException {
            return use(sentinels(master, addresses(hosts)));
        }

        static String useCluster(String hosts) throws InterruptedException, ReflectiveOperationException {
            return use(cluster(addresses(hosts)));
        }

        private static String use(UnifiedJedis made) throws InterruptedException {
            try (UnifiedJedis client = made;
                    Holdfast lent =
                            Holdfast.builder().store(RedisStores.using(client)).build()) {
                Lease lease = lent.lock("lent/several").acquire();
                CompletableFuture<Lease> next = lent.lock("lent/several").acquireAsync();
                require(lease.release());
                require(next.join().release());
                return client.getClass().getSimpleName();
            }
        }

        private static Set<HostAndPort> addresses(String hosts) {
            Set<HostAndPort> all = new HashSet<>();
            for (String each : hosts.split(",", -1)) {
                all.add(HostAndPort.from(each));
            }
            return all;
        }

        private static UnifiedJedis sentinels(String master, Set<HostAndPort> hosts)
                throws ReflectiveOperationException {
            try {
                Object builder = Class.forName("redis.clients.jedis.RedisSentinelClient")
                        .getMethod("builder")
                        .invoke(null);
                Class<?> type = Class.forName("redis.clients.jedis.builders.SentinelClientBuilder");
                type.getMethod("masterName", String.class).invoke(builder, master);
                type.getMethod("sentinels", Set.class).invoke(builder, hosts);
                return (UnifiedJedis) type.getMethod("build").invoke(builder);
            } catch (ClassNotFoundException older) {
                JedisClientConfig plain = DefaultJedisClientConfig.builder().build();
                return (UnifiedJedis) Class.forName("redis.clients.jedis.JedisSentineled")
                        .getConstructor(String.class, JedisClientConfig.class, Set.class, JedisClientConfig.class)
                        .newInstance(master, plain, hosts, plain);
            }
        }

        private static UnifiedJedis cluster(Set<HostAndPort> hosts) throws ReflectiveOperationException {
            try {
                return (UnifiedJedis) Class.forName("redis.clients.jedis.RedisClusterClient")
                        .getMethod("create", Set.class)
                        .invoke(null, hosts);
            } catch (ClassNotFoundException older) {
                return (UnifiedJedis) Class.forName("redis.clients.jedis.JedisCluster")
                        .getConstructor(Set.class)
                        .newInstance(hosts);
            }
        }

        private static UnifiedJedis make(int port) throws ReflectiveOperationException {
            try {
                return (UnifiedJedis) Class.forName("redis.clients.jedis.RedisClient")
                        .getMethod("create", String.class, int.class)
                        .invoke(null, "127.0.0.1", port);
            } catch (ClassNotFoundException older) {
                return (UnifiedJedis) Class.forName("redis.clients.jedis.JedisPooled")
                        .getConstructor(String.class, int.class)
                        .newInstance("127.0.0.1", port);
            }
        }
    }
}
