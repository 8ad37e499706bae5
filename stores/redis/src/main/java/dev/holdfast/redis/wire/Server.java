package dev.holdfast.redis.wire;

/** One Redis server and the connections to it. Thread-safe. */
public interface Server extends AutoCloseable {
    /**
     * Sends the calls of an exchange and waits for their answers, no longer than its deadline.
     *
     * @throws BrokenExchange if there are no answers
     * @throws ServerRefusal if a connection was refused by the server, such as for a wrong password
     */
    void carry(Exchange exchange);

    /**
     * Makes or lends a connection for a subscription.
     *
     * @throws BrokenExchange if there is none
     * @throws ServerRefusal if the server refuses it
     */
    Listening listen();

    /** Forgets connections that are not in use, because they are probably broken. */
    void forgetIdle();

    /** {@return where it is, for messages} */
    String where();

    @Override
    void close();
}
