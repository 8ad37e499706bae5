package dev.holdfast.jdbc;

import dev.holdfast.tck.LockStoreContract;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Everything that a program sees, of the lease strategy on H2. */
@Tag("full")
final class H2LockTest extends LockStoreContract {
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
