package dev.holdfast.rig.database;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What differs between the database servers. */
public interface DatabaseKind {
    /** The user that the tests come as; may do everything. */
    String USER = "holdfast";

    /** The password of {@link #USER}. */
    String PASSWORD = "hold-fast";

    /** The database that the tests use. */
    String DATABASE = "holdfast";

    /** {@return what it is called in messages and in the names of files} */
    String name();

    /** {@return the variable that names a server to use instead of starting one} */
    String environment();

    /**
     * Tells where clients find a server.
     *
     * @param port of the server, or of something before it
     * @return a JDBC URL without user and password
     */
    String jdbcUrl(int port);

    /**
     * Finds data in which there is the user and the database, and nothing else.
     *
     * @return a directory to be copied
     * @throws InterruptedException if interrupted
     */
    Path template() throws InterruptedException;

    /**
     * Tells how to start a server.
     *
     * @param data a copy of the template, perhaps used before
     * @param port to listen on
     * @param options more settings, each {@code name=value}
     * @return the command, which stays in the foreground
     * @throws IOException if a file cannot be changed
     * @throws InterruptedException if interrupted
     */
    List<String> command(Path data, int port, List<String> options) throws IOException, InterruptedException;

    /**
     * Asks a server once whether it takes clients.
     *
     * @param port where it listens
     * @return whether it does
     * @throws IOException if it does not answer
     */
    boolean ready(int port) throws IOException;

    /** {@return as {@link dev.holdfast.rig.Launch#stopSignal}} */
    default String stopSignal() {
        return "TERM";
    }

    /**
     * As {@link dev.holdfast.rig.Launch#bury}.
     *
     * @param data of a server that does not run
     */
    default void bury(Path data) {}
}
