package dev.holdfast.tck;

import dev.holdfast.tck.tcp.ServerProcess;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Everything that a program sees, on a store behind a socket; real processes share it. */
@Tag("full")
final class TcpLockTest extends LockStoreContract {
    private static ServerProcess server;

    @BeforeAll
    static void startServer() throws IOException {
        server = ServerProcess.start();
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
