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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
    void lockOfADeadConnectionIsSoonFreeOnPostgres() throws InterruptedException, ExecutionException {
        DatabaseServer server = Postgres.start(RIG);
        together(List.of(
                lostLockIsSoonFree(server, "row"),
                lostLockIsSoonFree(server, "advisory"),
                givenBackLockIsSoonFree(server, "row"),
                givenBackLockIsSoonFree(server, "advisory")));
    }

    @Test
    void lockOfADeadConnectionIsSoonFreeOnMariaDb() throws InterruptedException, ExecutionException {
        DatabaseServer server = MariaDb.start(RIG);
        together(List.of(lostLockIsSoonFree(server, "row"), givenBackLockIsSoonFree(server, "advisory")));
    }

    /** Each waits for timeouts of its own most of the time. */
    private static void together(List<Callable<Boolean>> cases) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(cases.size());
        try {
            for (Future<Boolean> one : threads.invokeAll(cases)) {
                assertThat(one.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Callable<Boolean> lostLockIsSoonFree(DatabaseServer server, String strategy) {
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        return () -> {
            try (Holdfast locks = connect(server, cable.port(), strategy);
                    Holdfast others = connect(server, server.port(), strategy)) {
                Lease lease = locks.lock("lost/" + strategy).acquire();
                CompletableFuture<LossReason> told = new CompletableFuture<>();
                lease.onLost(told::complete);
                cable.abandon();

                assertThat(told.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
                return canBeTaken(others, "lost/" + strategy);
            }
        };
    }

    private static Callable<Boolean> givenBackLockIsSoonFree(DatabaseServer server, String strategy) {
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        return () -> {
            try (Holdfast locks = connect(server, cable.port(), strategy);
                    Holdfast others = connect(server, server.port(), strategy)) {
                Lease lease = locks.lock("given/" + strategy).acquire();
                cable.abandon();
                // That nobody has answered is not a loss, so nothing is thrown.
                lease.close();

                return canBeTaken(others, "given/" + strategy);
            }
        };
    }

    private static boolean canBeTaken(Holdfast others, String name) throws InterruptedException {
        Optional<Lease> next = others.lock(name).tryAcquire(Duration.ofSeconds(SECONDS));
        next.ifPresent(Lease::close);
        return next.isPresent();
    }

    private static Holdfast connect(DatabaseServer server, int port, String strategy) {
        return Holdfast.builder()
                .url(server.accessThrough(port).jdbcUrlWithCredentials() + "#strategy=" + strategy)
                .commandTimeout(COMMAND)
                .build();
    }
}
