package dev.holdfast.redis.wire;

import dev.holdfast.spi.ServerClock;

/** A connection on which messages come. Used by one thread; only {@link #ping} and {@link #cut} by others. */
public interface Listening extends AutoCloseable {
    /** Who is told of what comes, on the thread that listens. */
    interface Listener {
        /** Messages come from now on. */
        void subscribed();

        /** A message has come. */
        void message(byte[] message);

        /** The server has answered a {@link #ping}. */
        void pong();
    }

    /**
     * Listens until the connection ends.
     *
     * @throws BrokenExchange when it has ended
     * @throws ServerRefusal if the server does not allow it
     */
    void listen(byte[] channel, Listener listener);

    /**
     * Asks the server for a sign of life.
     *
     * @throws BrokenConnection if the connection has ended
     */
    void ping();

    /** {@return the clock of the server} */
    ServerClock clock();

    /** Ends the connection at once. */
    void cut();

    /** Gives the connection back to where it came from. */
    @Override
    void close();
}
