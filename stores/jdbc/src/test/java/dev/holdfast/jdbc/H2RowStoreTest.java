package dev.holdfast.jdbc;

import dev.holdfast.tck.StoreContract;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The steps of the strategy row on H2. */
@Tag("full")
final class H2RowStoreTest extends StoreContract {
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
        return server.url() + "#strategy=row&connections=100";
    }
}
