package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Behind a pooler that gives every transaction another session. */
@Tag("full")
final class PgBouncerTest {
    private static final int SECONDS = 60;

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static DatabaseServer server;
    private static String url;

    @BeforeAll
    static void startServers() throws InterruptedException {
        server = Postgres.start(RIG);
        url = PgBouncer.before(RIG, server).jdbcUrlWithCredentials();
    }

    @Test
    void leaseIsHandedOverByPollingAndNobodyListens()
            throws InterruptedException, ExecutionException, TimeoutException, SQLException {
        try (Holdfast holder = Holdfast.connect(url);
                Holdfast waiter = Holdfast.connect(url);
                Connection operator = server.connect()) {
            long token = 0;
            for (int i = 0; i < 5; i++) {
                Lease lease = holder.lock("pooled").acquire();
                CompletableFuture<Lease> waiting = waiter.lock("pooled").acquireAsync();
                Awaitility.await()
                        .until(() ->
                                holder.inspect("pooled").orElseThrow().waiters().size() == 1);
                lease.close();
                Lease next = waiting.get(SECONDS, TimeUnit.SECONDS);
                assertThat(next.token()).isGreaterThan(lease.token());
                assertThat(lease.token()).isGreaterThan(token);
                token = next.token();
                next.close();
            }
            assertThat(RealDatabase.ask(operator, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void severalNamesAreTakenTogether() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url);
                Holdfast others = Holdfast.connect(url)) {
            Lease lease = locks.all("a", "b", "c").acquire();
            assertThat(others.all("c", "d").tryAcquire()).isEmpty();
            lease.close();
            assertThat(others.all("c", "d").tryAcquire()).isPresent();
        }
    }

    @Test
    void advisoryLocksAreRefusedAtOnce() {
        try (Holdfast locks = Holdfast.connect(url + "#strategy=advisory")) {
            assertThatThrownBy(() -> locks.lock("advice").tryAcquire())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("pooler");
        }
    }

    @Test
    void rowLocksKeepTheirSessionForTheWholeTransaction() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url + "#strategy=row");
                Holdfast others = Holdfast.connect(url + "#strategy=row")) {
            Lease lease = locks.lock("row").acquire();
            assertThat(others.lock("row").tryAcquire()).isEmpty();
            lease.close();
            Lease next = others.lock("row").acquire();
            assertThat(next.token()).isGreaterThan(lease.token());
            next.close();
        }
    }
}
