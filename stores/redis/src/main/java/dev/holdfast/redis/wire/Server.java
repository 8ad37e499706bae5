package dev.holdfast.redis.wire;

import redis.clients.jedis.exceptions.JedisException;

/** One Redis server and the connections to it. Thread-safe. */
public interface Server extends AutoCloseable {
    /**
     * Sends the calls of an exchange and waits for their answers, no longer than the command timeout.
     *
     * @throws BrokenExchange if there are no answers
     * @throws JedisException if a connection was refused by the server, such as for a wrong password
     */
    void carry(Exchange exchange);

    /**
     * Lends a connection for a subscription.
     *
     * @throws JedisException if there is none
     */
    ServerConnection listen();

    /** Takes back what {@link #listen} lent, which is of no use for anything else. */
    void hangUp(ServerConnection line);

    /** Forgets connections that are not in use, because they are probably broken. */
    void forgetIdle();

    /** {@return where it is, for messages} */
    String where();

    @Override
    void close();
}
