package dev.holdfast.redis;

import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.ServerClock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/** Sends single calls to a single node, as a message that was on its way for long. */
public final class Direct {
    private Direct() {}

    public static @Nullable Object ask(RedisNode node, Call call) {
        try (Connection connection = new Connection(new HostAndPort("127.0.0.1", node.port()))) {
            call.sendAgain(null, true);
            call.send(new ServerConnection(connection, "direct", new ServerClock(BareClient::nanos)));
            return connection.getOne();
        }
    }
}
