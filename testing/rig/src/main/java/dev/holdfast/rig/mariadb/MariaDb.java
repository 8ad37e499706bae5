package dev.holdfast.rig.mariadb;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import java.util.List;

/** MariaDB 11.4. */
public final class MariaDb {
    private MariaDb() {}

    /**
     * Starts a server and waits until it takes clients.
     *
     * @param rig in which it runs
     * @param options settings of the server, such as {@code max_connections=5}
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static DatabaseServer start(Rig rig, String... options) throws InterruptedException {
        return DatabaseServer.start(rig, new MariaDbKind(), List.of(options));
    }

    /**
     * Finds the server that {@code HOLDFAST_TEST_MARIADB} names, or starts one.
     *
     * @param rig in which one is started
     * @return how to reach it
     * @throws InterruptedException if interrupted
     */
    public static Access given(Rig rig) throws InterruptedException {
        return Access.given(new MariaDbKind(), rig);
    }
}
