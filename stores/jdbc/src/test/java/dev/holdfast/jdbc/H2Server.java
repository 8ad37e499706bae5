package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.tools.Server;

/**
 * An H2 server in this process, with a database in memory that other processes reach over TCP. The database outlives the
 * server, as one in a file would. Used by one thread.
 */
final class H2Server implements AutoCloseable, DatabaseOutages.Target {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String database = "holdfast" + COUNT.incrementAndGet();
    private final int port;
    private Server server;

    private H2Server(Server server) {
        this.server = server;
        this.port = server.getPort();
    }

    static H2Server start() throws SQLException {
        return new H2Server(serverOn(0));
    }

    private static Server serverOn(int port) throws SQLException {
        return Server.createTcpServer("-tcpPort", Integer.toString(port), "-ifNotExists")
                .start();
    }

    String url() {
        return url(port);
    }

    @Override
    public String url(int through) {
        return "jdbc:h2:tcp://127.0.0.1:" + through + "/mem:" + database + ";DB_CLOSE_DELAY=-1";
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean endsTransactionsOfTheDead() {
        return false;
    }

    /** It prepares each statement before it executes it. */
    @Override
    public int tripsOfAStatement() {
        return 2;
    }

    @Override
    public void kill() {
        server.stop();
    }

    @Override
    public void revive() throws SQLException {
        server = serverOn(port);
    }

    @Override
    public boolean isRunning() {
        return server.isRunning(false);
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** ACCESS_MODE_DATA is chosen when a database is opened. */
    @Override
    public List<List<String>> readsOnly() {
        return List.of();
    }

    @Override
    public void close() {
        server.stop();
    }
}
