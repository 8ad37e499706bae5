package dev.holdfast.redis;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
            String lent = "";
            if (arguments.length > 1) {
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
