package dev.holdfast.rig.database;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.Server;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * One database server as a child process. What was committed survives a restart, also after a kill, though nothing is
 * forced to the disk: the pages written are the operating system's, and that goes on. Used by one thread at a time.
 */
public final class DatabaseServer implements AutoCloseable {
    private final Server server;
    private final DatabaseKind kind;

    private DatabaseServer(Server server, DatabaseKind kind) {
        this.server = server;
        this.kind = kind;
    }

    /**
     * Starts a server and waits until it takes clients.
     *
     * @param rig in which it runs
     * @param kind of server
     * @param options settings of the server, each {@code name=value}
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static DatabaseServer start(Rig rig, DatabaseKind kind, List<String> options) throws InterruptedException {
        return new DatabaseServer(rig.start(kind.name(), new DatabaseLaunch(kind, options)), kind);
    }

    /** {@return where it is and how to get in} */
    public Access access() {
        return accessThrough(port());
    }

    /**
     * Tells how to reach it over a detour.
     *
     * @param port of a proxy before it
     * @return where that is and how to get in
     */
    public Access accessThrough(int port) {
        return new Access(kind.jdbcUrl(port), DatabaseKind.USER, DatabaseKind.PASSWORD);
    }

    /** {@return where it is, without user and password} */
    public String jdbcUrl() {
        return access().jdbcUrl();
    }

    /** {@return a user that may do everything} */
    public String user() {
        return access().user();
    }

    /** {@return the password of the user} */
    public String password() {
        return access().password();
    }

    /**
     * Opens a connection through the driver that the tests have brought along.
     *
     * @return the connection
     * @throws SQLException if there is none
     */
    public Connection connect() throws SQLException {
        return access().connect();
    }

    /** {@return its port on 127.0.0.1} */
    public int port() {
        return server.port();
    }

    /** {@return its process} */
    public Server server() {
        return server;
    }

    /**
     * Starts it again after {@link #stop} or {@link #kill}, on the same port and data.
     *
     * @throws InterruptedException if interrupted
     */
    public void start() throws InterruptedException {
        server.start();
    }

    /**
     * As {@link Server#stop}; connections are cut.
     *
     * @throws InterruptedException if interrupted
     */
    public void stop() throws InterruptedException {
        server.stop();
    }

    /**
     * As {@link Server#kill}.
     *
     * @throws InterruptedException if interrupted
     */
    public void kill() throws InterruptedException {
        server.kill();
    }

    /**
     * As {@link Server#pause}.
     *
     * @throws InterruptedException if interrupted
     */
    public void pause() throws InterruptedException {
        server.pause();
    }

    /**
     * As {@link Server#resume}.
     *
     * @throws InterruptedException if interrupted
     */
    public void resume() throws InterruptedException {
        server.resume();
    }

    /**
     * As {@link Server#restart}.
     *
     * @throws InterruptedException if interrupted
     */
    public void restart() throws InterruptedException {
        server.restart();
    }

    /**
     * As {@link Server#restartEmpty}: the user and an empty database are there.
     *
     * @throws InterruptedException if interrupted
     */
    public void restartEmpty() throws InterruptedException {
        server.restartEmpty();
    }

    @Override
    public void close() {
        server.close();
    }
}
