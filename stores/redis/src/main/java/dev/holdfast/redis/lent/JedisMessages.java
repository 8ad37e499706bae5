package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.Listening;
import redis.clients.jedis.BinaryJedisPubSub;

/** Passes on what comes to a subscription of Jedis. */
final class JedisMessages extends BinaryJedisPubSub {
    private final Listening.Listener listener;

    JedisMessages(Listening.Listener listener) {
        this.listener = listener;
    }

    @Override
    public void onSubscribe(byte[] channel, int count) {
        listener.subscribed();
    }

    @Override
    public void onMessage(byte[] channel, byte[] message) {
        listener.message(message);
    }

    @Override
    public void onPong(byte[] pattern) {
        listener.pong();
    }
}
