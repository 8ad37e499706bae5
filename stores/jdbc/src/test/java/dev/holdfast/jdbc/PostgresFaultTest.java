package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Faults on PostgreSQL. */
final class PostgresFaultTest extends FaultCases {
    private static final String LISTENERS = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";

    @Override
    DatabaseServer start(Rig place) throws InterruptedException {
        return Postgres.start(place);
    }

    @Override
    String acquireStatement() {
        return "INSERT INTO holdfast_lock";
    }

    @Test
    void lockIsHandedOverAlthoughTheListenersAreGone()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        String url = server().access().jdbcUrlWithCredentials();
        try (Holdfast holder = Holdfast.connect(url);
                Holdfast waiter = Holdfast.connect(url);
                Connection operator = server().connect()) {
            Lease lease = holder.lock("deaf").acquire();
            CompletableFuture<Lease> waiting = waiter.lock("deaf").acquireAsync();
            Awaitility.await().until(() -> Sql.ask(operator, "SELECT count(*) " + LISTENERS) == 2);
            Sql.ask(operator, "SELECT count(pg_terminate_backend(pid)) " + LISTENERS);
            lease.close();

            assertThat(waiting.get(60, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void clientWithoutNotificationsPolls() throws InterruptedException, ExecutionException, TimeoutException {
        String url = server().access().jdbcUrlWithCredentials() + "#notifications=off";
        try (Holdfast holder = Holdfast.connect(url);
                Holdfast waiter = Holdfast.connect(url)) {
            Lease lease = holder.lock("polled").acquire();
            CompletableFuture<Lease> waiting = waiter.lock("polled").acquireAsync();
            Awaitility.await()
                    .until(() ->
                            holder.inspect("polled").orElseThrow().waiters().size() == 1);
            lease.close();

            assertThat(waiting.get(60, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
        }
    }
}
