package dev.holdfast.redis;

import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.PlainConnection;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.ServerClock;
import org.jspecify.annotations.Nullable;

/** Sends single calls to a single node, as a message that was on its way for long. */
public final class Direct {
    private Direct() {}

    public static @Nullable Object ask(RedisNode node, Call call) {
        Connection connection = PlainConnection.to(node.port());
        try {
            call.sendAgain(null, true);
            call.send(new ServerConnection(connection, "direct", new ServerClock(BareClient::nanos)));
            Object answer = connection.receive();
            if (answer instanceof ServerRefusal refused) {
                throw refused;
            }
            return answer;
        } finally {
            connection.cut();
        }
    }
}
