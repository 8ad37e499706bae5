package dev.holdfast.jdbc;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.tools.Server;

/** An H2 server in this process, with a database in memory that other processes reach over TCP. */
final class H2Server implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Server server;
    private final String database = "holdfast" + COUNT.incrementAndGet();

    private H2Server(Server server) {
        this.server = server;
    }

    static H2Server start() throws SQLException {
        return new H2Server(
                Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start());
    }

    String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + database + ";DB_CLOSE_DELAY=-1";
    }

    @Override
    public void close() {
        server.stop();
    }
}
