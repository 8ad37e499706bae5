package dev.holdfast.redis.lent;

import java.io.IOException;
import redis.clients.jedis.Connection;

/**
 * A borrowed connection.
 *
 * @param connection the connection
 * @param back gives it back, broken or not
 */
record Loan(Connection connection, Runnable back) {
    void giveBack() {
        back.run();
    }

    /** Ends the connection at once, whoever is using it. */
    static void cut(Connection connection) {
        try {
            connection.forceDisconnect();
        } catch (IOException closedAlready) {
            connection.setBroken();
        } catch (NoSuchMethodError olderJedis) {
            connection.setBroken();
            connection.disconnect();
        }
    }
}
