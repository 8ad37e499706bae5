package dev.holdfast.tck;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.tck.tcp.ServerProcess;
import dev.holdfast.tck.tcp.TcpOutages;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of a store behind a socket: broken connections, and a server that is killed. */
final class TcpOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static ServerProcess server;
    private static Outages outages;

    @BeforeAll
    static void startServer() throws IOException {
        server = ServerProcess.start();
        outages = new TcpOutages(server, FaultProxy.before(rig, server.port()));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    public String url() {
        return server.url();
    }

    @Override
    public Outages outages() {
        return outages;
    }
}
