package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.redis.wire.HostAndPort;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

/** A connection to one Redis server, for questions. Used by one thread. */
final class RedisServer implements AutoCloseable {
    private static final long MICROS_PER_MILLI = 1_000;
    private static final long MILLIS_PER_SECOND = 1_000;

    private final Jedis redis;

    private RedisServer(Jedis redis) {
        this.redis = redis;
    }

    /** How servers are reached. Does not show secrets. */
    record Access(
            @Nullable Credentials credentials, @Nullable SSLContext encryption) {
        @Override
        public String toString() {
            return "Access";
        }
    }

    /**
     * Connects and logs in.
     *
     * @throws JedisException if it does not answer, or refuses
     */
    static RedisServer connect(HostAndPort where, Access access) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .timeoutMillis(Subject.TIMEOUT_MILLIS)
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
        Credentials credentials = access.credentials();
        if (credentials != null) {
            config.user(credentials.user().orElse(null)).password(credentials.password());
        }
        Jedis redis = new Jedis(() -> socket(where, access.encryption()), config.build());
        try {
            redis.connect();
            return new RedisServer(redis);
        } catch (JedisException refused) {
            redis.close();
            throw refused;
        }
    }

    private static Socket socket(HostAndPort where, @Nullable SSLContext encryption) {
        try {
            return TlsFiles.connect(where.host(), where.port(), encryption);
        } catch (IOException silent) {
            throw new JedisConnectionException("no connection", silent);
        }
    }

    /** {@return what INFO says; empty if this user may not ask} */
    Map<String, String> info() {
        Map<String, String> info = new HashMap<>();
        Object answer = ask(Protocol.Command.INFO).orElse("");
        answer.toString().lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
            int colon = line.indexOf(':');
            info.put(line.substring(0, colon), line.substring(colon + 1).strip());
        });
        return info;
    }

    /** {@return settings by name; empty if this user may not ask} */
    Map<String, String> settings(String... names) {
        Map<String, String> settings = new HashMap<>();
        for (String name : names) {
            settings.putAll(pairs(ask(Protocol.Command.CONFIG, "GET", name).orElse(List.of())));
        }
        return settings;
    }

    /** {@return the server's time} */
    long timeMillis() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * MILLIS_PER_SECOND + Long.parseLong(time.get(1)) / MICROS_PER_MILLI;
    }

    /** {@return the answer; empty if the server does not know the command, or this user may not use it} */
    Optional<Object> ask(Protocol.Command command, String... words) {
        try {
            return Optional.ofNullable(SafeEncoder.encodeObject(redis.sendCommand(command, words)));
        } catch (JedisDataException refused) {
            return Optional.empty();
        }
    }

    /** {@return what is told as a list of keys and values} */
    static Map<String, String> pairs(Object answer) {
        List<?> flat = answer instanceof List<?> list ? list : List.of();
        Map<String, String> pairs = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            pairs.put(String.valueOf(flat.get(i)), String.valueOf(flat.get(i + 1)));
        }
        return pairs;
    }

    /** {@return the same for a list of such lists} */
    static List<Map<String, String>> tables(Object answer) {
        List<Map<String, String>> tables = new ArrayList<>();
        for (Object each : answer instanceof List<?> list ? list : List.of()) {
            tables.add(pairs(each));
        }
        return tables;
    }

    @Override
    public void close() {
        redis.close();
    }
}
