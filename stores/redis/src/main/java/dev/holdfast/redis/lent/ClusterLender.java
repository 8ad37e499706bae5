package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Keys;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.Pool;

/**
 * Lends from a client of a cluster, which has a pool for each member that it knows. It learns of new members only from its own
 * commands. Thread-safe.
 */
record ClusterLender(UnifiedJedis client, HostAndPort address) implements Lender {
    private static final byte[] NO_SCRIPT = Keys.bytes("0".repeat(40));
    private static final byte[] ONE = {'1'};

    @Override
    public Loan borrow(byte[] key) {
        Pool<?> pool = pool();
        if (pool == null && key.length > 0) {
            learn(key);
            pool = pool();
        }
        if (pool == null) {
            throw new JedisConnectionException("the given client does not know " + address + " yet");
        }
        return PoolLender.borrow(pool);
    }

    @Override
    public void forgetIdle() {
        Pool<?> pool = pool();
        if (pool != null) {
            pool.clear();
        }
    }

    private @Nullable Pool<?> pool() {
        return ((Map<?, ?>) JedisClients.call(client, "getClusterNodes")).get(address.toString())
                        instanceof Pool<?> pool
                ? pool
                : null;
    }

    /** Lets the client ask for a key that is there by now: it is sent on, and looks who else is there. Changes nothing. */
    @SuppressWarnings("deprecation") // Its successor is not in all versions.
    private void learn(byte[] key) {
        try {
            client.sendCommand(key, Command.EVALSHA::word, NO_SCRIPT, ONE, key);
        } catch (JedisDataException expected) {
            // There is no such script.
            return;
        }
    }
}
