package dev.holdfast.torture.rig;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Takes all connections that a database has left, as a program with too large a pool does. Used by one thread at a time. */
final class ConnectionHog {
    /** More than any of the databases allows unless told otherwise. */
    private static final int MOST = 1_000;

    private final String url;
    private final Deque<Connection> taken = new ArrayDeque<>();

    ConnectionHog(String url) {
        this.url = url;
    }

    /** Until the database refuses one more, or does not answer for another reason. */
    void takeAll() {
        try {
            while (taken.size() < MOST) {
                taken.push(DriverManager.getConnection(url));
            }
        } catch (SQLException none) {
            return;
        }
    }

    void giveBack() {
        while (!taken.isEmpty()) {
            close(taken.pop());
        }
    }

    /** One that is broken is not taken any more either way. */
    private static boolean close(Connection connection) {
        try {
            connection.close();
            return true;
        } catch (SQLException broken) {
            return false;
        }
    }
}
