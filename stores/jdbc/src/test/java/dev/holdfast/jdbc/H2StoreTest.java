package dev.holdfast.jdbc;

import dev.holdfast.tck.StoreContract;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The steps of the lease strategy on H2. */
final class H2StoreTest extends StoreContract {
    private static H2Server server;

    @BeforeAll
    static void startServer() throws SQLException {
        server = H2Server.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    public String url() {
        return server.url();
    }
}
