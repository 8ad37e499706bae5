package dev.holdfast.rig.postgres;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import java.nio.file.Path;
import java.util.List;

/** PostgreSQL 18. */
public final class Postgres {
    private Postgres() {}

    /**
     * Starts a server and waits until it takes clients.
     *
     * @param rig in which it runs
     * @param options settings of the server, such as {@code max_connections=5}
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static DatabaseServer start(Rig rig, String... options) throws InterruptedException {
        return DatabaseServer.start(rig, new PostgresKind(), List.of(options));
    }

    /**
     * Starts an asynchronous standby, and stops and starts the primary for it.
     *
     * @param rig in which it runs
     * @param primary a server that was started here
     * @param port where the standby finds the primary: its own, or that of a proxy before it
     * @return the standby, which answers questions until it is promoted with {@code pg_promote()}
     * @throws InterruptedException if interrupted
     */
    public static DatabaseServer standbyOf(Rig rig, DatabaseServer primary, int port) throws InterruptedException {
        primary.stop();
        try {
            Path data = primary.server().place().directory().resolve("data");
            return DatabaseServer.start(rig, new StandbyKind(data, port), List.of());
        } finally {
            primary.start();
        }
    }

    /**
     * Finds the server that {@code HOLDFAST_TEST_POSTGRES} names, or starts one.
     *
     * @param rig in which one is started
     * @return how to reach it
     * @throws InterruptedException if interrupted
     */
    public static Access given(Rig rig) throws InterruptedException {
        return Access.given(new PostgresKind(), rig);
    }
}
