package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * MariaDB's driver closes a connection that another thread uses by asking the server to end it, over a new connection. In a
 * black hole that takes as long as a call may take, so no call may wait for it (P17).
 */
final class MariaDbSilenceTest {
    private static final Duration COMMAND = Duration.ofSeconds(4);

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void nobodyWaitsForTheEndOfAConnectionThatAnotherThreadUses() throws InterruptedException, SQLException {
        DatabaseServer server = MariaDb.start(rig);
        FaultProxy cable = FaultProxy.before(rig, server.port());
        String url = server.accessThrough(cable.port()).jdbcUrlWithCredentials();
        try (Connections connections = new Connections(new DriverSource(url, null, COMMAND), 2, COMMAND)) {
            Visit visit = connections.stay();
            cable.blackHole(Direction.TO_CLIENT);
            long sent = cable.bytes(Direction.TO_SERVER);
            CompletableFuture<Boolean> look =
                    CompletableFuture.supplyAsync(() -> visit.answers((int) COMMAND.toMillis()));
            Awaitility.await().until(() -> cable.bytes(Direction.TO_SERVER) > sent);

            long begin = System.nanoTime();
            visit.discard();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(COMMAND.dividedBy(2));
            assertThat(look.join()).as("the connection is really closed").isFalse();
        }
    }
}
