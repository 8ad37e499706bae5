package dev.holdfast.bench.ruler;

import java.net.URI;
import java.util.List;
import java.util.UUID;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The floor: what every lock on Redis costs at least, one command to take it and one script to give it back. It cannot
 * wait, cannot renew and has no token.
 */
final class JedisLocks implements Locks {
    /** Deletes a key only if it still has the owner's value. */
    static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private static final int MOST_CONNECTIONS = 128;
    private static final long LEASE_MILLIS = 30_000;

    private final RedisClient client;
    private final String release;

    JedisLocks(URI url) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(MOST_CONNECTIONS);
        pool.setMaxIdle(MOST_CONNECTIONS);
        client = RedisClient.builder()
                .hostAndPort(url.getHost(), url.getPort())
                .poolConfig(pool)
                .build();
        release = client.scriptLoad(RELEASE);
    }

    @Override
    public Mutex mutex(String name) {
        return new Key(name);
    }

    @Override
    public void close() {
        client.close();
    }

    /** A key with an owner of its own. */
    private final class Key implements Mutex {
        private final String name;
        private final String owner = UUID.randomUUID().toString();

        Key(String name) {
            this.name = name;
        }

        @Override
        public void lock() {
            if (client.set(name, owner, SetParams.setParams().nx().px(LEASE_MILLIS)) == null) {
                throw new IllegalStateException("the floor cannot wait, and " + name + " is taken");
            }
        }

        @Override
        public void unlock() {
            if (!Long.valueOf(1).equals(client.evalsha(release, List.of(name), List.of(owner)))) {
                throw new IllegalStateException(name + " was not held");
            }
        }
    }
}
