package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.Listening;
import java.util.concurrent.locks.ReentrantLock;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Passes on what comes to a subscription of Jedis. It is left once, and nothing is sent after that: an answer that
 * nobody has read would be taken for the answer to the next command of the program whose connection it is.
 */
final class JedisMessages extends BinaryJedisPubSub {
    private final Listening.Listener listener;

    /** Jedis lets one thread write at a time. */
    private final ReentrantLock writing = new ReentrantLock();

    private final byte[] channel;
    private boolean confirmed; // guarded by writing
    private boolean left; // guarded by writing

    JedisMessages(byte[] channel, Listening.Listener listener) {
        this.channel = channel;
        this.listener = listener;
    }

    /**
     * Asks for a sign of life, unless the subscription has been left: subscribes once more, which changes nothing. In the
     * third version of the protocol, Jedis takes the answer to a {@code PING} that comes at once for an unexpected message,
     * and ends the subscription.
     *
     * @throws BrokenConnection if the connection is broken
     */
    void askForSign() {
        writing.lock();
        try {
            if (!left) {
                subscribe(channel);
            }
        } catch (JedisException broken) {
            throw new BrokenConnection(broken);
        } finally {
            writing.unlock();
        }
    }

    /** Ends the subscription as soon as the server has confirmed it. */
    void leave() {
        writing.lock();
        try {
            if (!left) {
                left = true;
                if (confirmed) {
                    unsubscribe();
                }
            }
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void onSubscribe(byte[] subscribed, int count) {
        boolean first;
        writing.lock();
        try {
            first = !confirmed;
            confirmed = true;
            if (left) {
                if (first) {
                    unsubscribe();
                }
                return;
            }
        } finally {
            writing.unlock();
        }
        if (first) {
            listener.subscribed();
        } else {
            listener.pong();
        }
    }

    @Override
    public void onMessage(byte[] from, byte[] message) {
        listener.message(message);
    }
}
