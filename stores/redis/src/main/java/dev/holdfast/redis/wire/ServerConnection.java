package dev.holdfast.redis.wire;

import dev.holdfast.spi.ServerClock;

/**
 * A connection, and what is known of the clock at its other end.
 *
 * @param connection used by one thread at a time
 * @param place which machine it leads to; the same for all clients that reach it the same way
 * @param clock shared by all connections to that place
 */
public record ServerConnection(Connection connection, String place, ServerClock clock) {
    /** Ends the connection at once, whoever is using it. */
    public void cut() {
        connection.cut();
    }
}
