package dev.holdfast.redis;

import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Script;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Guards a key in Redis with the fencing tokens of one lock: it accepts only tokens that are at least as large as the
 * largest it has seen. The token is checked, and raised, in the same script as the read or write. The Redis that holds the
 * data need not be the one that holds the lock. Everybody who writes to the key must go through such a guard.
 *
 * <p>The largest token is kept beside the key, in the same slot of a cluster, under the key with {@code :holdfast-token}
 * behind it; it does not expire. Thread-safe, as far as the client is.
 */
public final class RedisFence {
    private static final String TOKEN_SUFFIX = ":holdfast-token";
    private static final String STALE = "HOLDFASTSTALE ";
    private static final String PROLOGUE = Script.read("fence.lua");
    private static final String READ = "return redis.call('GET', KEYS[1])";
    private static final String WRITE = "return redis.call('SET', KEYS[1], ARGV[1])";

    private final String lockName;
    private final UnifiedJedis client;
    private final String key;
    private final String tokenKey;

    private RedisFence(String lockName, UnifiedJedis client, String key) {
        this.lockName = lockName;
        this.client = client;
        this.key = key;
        this.tokenKey = tokenKey(key);
    }

    /**
     * Puts a guard around a key.
     *
     * @param lockName the lock whose tokens count
     * @param client reaches the Redis that holds the data; stays the caller's
     * @param key the key; braces in it must be those of a hash tag
     * @return the guard
     * @throws IllegalArgumentException if the key has braces that are no hash tag
     */
    public static RedisFence around(String lockName, UnifiedJedis client, String key) {
        return new RedisFence(
                Objects.requireNonNull(lockName, "lockName"),
                Objects.requireNonNull(client, "client"),
                Objects.requireNonNull(key, "key"));
    }

    /**
     * Raises the token, then reads.
     *
     * @param lease an exclusive lease of the lock
     * @return the value, if there is one
     * @throws StaleTokenException if the key has seen a larger token
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     */
    public Optional<String> read(Lease lease) {
        Object value = run(lease, READ, List.of(), List.of());
        return value instanceof byte[] bytes
                ? Optional.of(new String(bytes, StandardCharsets.UTF_8))
                : Optional.ofNullable((String) value);
    }

    /**
     * Replaces the value.
     *
     * @param lease an exclusive lease of the lock
     * @param value the new value
     * @throws StaleTokenException if the key has seen a larger token; nothing was changed
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     */
    public void write(Lease lease, String value) {
        run(lease, WRITE, List.of(), List.of(value));
    }

    /**
     * Runs a script if the token is not stale. In it, {@code KEYS[1]} is the guarded key. A client that tries again after
     * a lost reply may run it twice.
     *
     * @param lease an exclusive lease of the lock
     * @param script what to do, in Lua
     * @param moreKeys further keys for the script, in the same slot of a cluster
     * @param arguments arguments for the script
     * @return what the script returned, as the client tells it
     * @throws StaleTokenException if the key has seen a larger token; the script did not run
     * @throws IllegalArgumentException if the lease is shared, or of another lock
     * @throws JedisDataException if the script fails
     */
    public @Nullable Object run(Lease lease, String script, List<String> moreKeys, List<String> arguments) {
        long token = tokenOf(lease);
        String whole = PROLOGUE + "local keys, arguments = { unpack(KEYS, 2) }, { unpack(ARGV, 2) }\n"
                + "return (function(KEYS, ARGV)\n" + script + "\nend)(keys, arguments)\n";
        List<String> keys = new ArrayList<>(List.of(tokenKey, key));
        keys.addAll(moreKeys);
        List<String> all = new ArrayList<>(List.of(String.format("%019d", token)));
        all.addAll(arguments);
        try {
            return run(whole, keys, all);
        } catch (JedisConnectionException unanswered) {
            throw new StoreUnavailableException("guarded access", lockName, unanswered);
        } catch (JedisDataException refused) {
            throw refusal(token, refused);
        }
    }

    private @Nullable Object run(String script, List<String> keys, List<String> arguments) {
        String digest = new String(Script.digest(Keys.bytes(script)), StandardCharsets.US_ASCII);
        try {
            return client.evalsha(digest, keys, arguments);
        } catch (JedisNoScriptException unknown) {
            return client.eval(script, keys, arguments);
        }
    }

    private RuntimeException refusal(long token, JedisDataException refused) {
        String said = String.valueOf(refused.getMessage());
        if (!said.startsWith(STALE)) {
            return refused;
        }
        String seen = said.substring(STALE.length()).split(" ", 2)[0];
        return new StaleTokenException(lockName, token, Long.parseLong(seen));
    }

    private long tokenOf(Lease lease) {
        if (!lease.isExclusive()) {
            throw new IllegalArgumentException(
                    "a fence takes exclusive leases only: the tokens of shared ones are not in order of their writes");
        }
        return lease.token(lockName);
    }

    /** In the slot of the key: its hash tag if it has one, otherwise the whole key becomes the tag. */
    private static String tokenKey(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        if (close > open + 1) {
            return key + TOKEN_SUFFIX;
        }
        if (open >= 0 || key.indexOf('}') >= 0 || key.isEmpty()) {
            throw new IllegalArgumentException(
                    "a guarded key must not be empty, and its braces must be those of a hash tag such as '{order}:42'");
        }
        return "{" + key + "}" + TOKEN_SUFFIX;
    }
}
