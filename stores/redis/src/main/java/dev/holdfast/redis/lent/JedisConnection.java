package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.ServerRefusal;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** A connection of Jedis, with nothing but what all its versions have. Used by one thread at a time. */
final class JedisConnection implements Connection {
    private final redis.clients.jedis.Connection connection;

    JedisConnection(redis.clients.jedis.Connection connection) {
        this.connection = connection;
    }

    @Override
    public void send(Command verb, byte[]... arguments) {
        try {
            connection.sendCommand(verb::word, arguments);
        } catch (JedisConnectionException broken) {
            throw brokenBy(broken);
        }
    }

    @Override
    public @Nullable Object receive() {
        try {
            return connection.getOne();
        } catch (JedisDataException refused) {
            return ServerRefusal.of(String.valueOf(refused.getMessage()));
        } catch (JedisConnectionException broken) {
            throw brokenBy(broken);
        }
    }

    static BrokenConnection brokenBy(JedisConnectionException broken) {
        return new BrokenConnection(broken.getCause() == null ? broken : broken.getCause());
    }

    @Override
    public void cut() {
        Loan.cut(connection);
    }
}
