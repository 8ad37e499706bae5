package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.Listening;
import java.util.concurrent.locks.ReentrantLock;
import redis.clients.jedis.BinaryJedisPubSub;

/**
 * Passes on what comes to a subscription of Jedis. It is left once, and nothing is sent after that: an answer that
 * nobody has read would be taken for the answer to the next command of the program whose connection it is.
 */
final class JedisMessages extends BinaryJedisPubSub {
    private final Listening.Listener listener;

    /** Jedis lets one thread write at a time. */
    private final ReentrantLock writing = new ReentrantLock();

    private boolean confirmed; // guarded by writing
    private boolean left; // guarded by writing

    JedisMessages(Listening.Listener listener) {
        this.listener = listener;
    }

    /** Asks for a sign of life, unless the subscription has been left. */
    void askForSign() {
        writing.lock();
        try {
            if (!left) {
                ping();
            }
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
    public void onSubscribe(byte[] channel, int count) {
        writing.lock();
        try {
            if (left) {
                unsubscribe();
                return;
            }
            confirmed = true;
        } finally {
            writing.unlock();
        }
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
