package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.proxy.FaultProxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A network that forgets a connection tells neither side, so the server keeps the session, and with it the lock. The
 * client that has given it up ends the session over another connection (P20). The short form of what the outage contract
 * tries on every database.
 */
final class DeadConnectionsTest {
    private static final Duration COMMAND = Duration.ofSeconds(2);
    private static final int SECONDS = 20;

    @RegisterExtension
    static final Rig RIG = new Rig();

    @Test
    void lockOfADeadConnectionIsSoonFreeOnPostgres() throws InterruptedException, ExecutionException, TimeoutException {
        DatabaseServer server = Postgres.start(RIG);
        lostLockIsSoonFree(server, "row");
        lostLockIsSoonFree(server, "advisory");
        givenBackLockIsSoonFree(server, "row");
        givenBackLockIsSoonFree(server, "advisory");
    }

    @Test
    void lockOfADeadConnectionIsSoonFreeOnMariaDb() throws InterruptedException, ExecutionException, TimeoutException {
        DatabaseServer server = MariaDb.start(RIG);
        lostLockIsSoonFree(server, "row");
        givenBackLockIsSoonFree(server, "advisory");
    }

    private static void lostLockIsSoonFree(DatabaseServer server, String strategy)
            throws InterruptedException, ExecutionException, TimeoutException {
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        try (Holdfast locks = connect(server, cable.port(), strategy);
                Holdfast others = connect(server, server.port(), strategy)) {
            Lease lease = locks.lock("lost/" + strategy).acquire();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            lease.onLost(told::complete);
            cable.abandon();

            assertThat(told.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
            assertThatItCanBeTaken(others, "lost/" + strategy);
        }
    }

    private static void givenBackLockIsSoonFree(DatabaseServer server, String strategy) throws InterruptedException {
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        try (Holdfast locks = connect(server, cable.port(), strategy);
                Holdfast others = connect(server, server.port(), strategy)) {
            Lease lease = locks.lock("given/" + strategy).acquire();
            cable.abandon();
            // That nobody has answered is not a loss, so nothing is thrown.
            lease.close();

            assertThatItCanBeTaken(others, "given/" + strategy);
        }
    }

    private static void assertThatItCanBeTaken(Holdfast others, String name) throws InterruptedException {
        Optional<Lease> next = others.lock(name).tryAcquire(Duration.ofSeconds(SECONDS));
        assertThat(next).isPresent();
        next.ifPresent(Lease::close);
    }

    private static Holdfast connect(DatabaseServer server, int port, String strategy) {
        return Holdfast.builder()
                .url(server.accessThrough(port).jdbcUrlWithCredentials() + "#strategy=" + strategy)
                .commandTimeout(COMMAND)
                .build();
    }
}
