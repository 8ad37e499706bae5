package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What goes wrong between a client and its database, with the lease strategy on a real server, one for all tests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultCases {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final Rig rig = new Rig();

    private DatabaseServer server;
    private final List<AutoCloseable> open = new ArrayList<>();

    abstract DatabaseServer start(Rig place) throws InterruptedException;

    /** {@return what a request to acquire contains} */
    abstract String acquireStatement();

    final DatabaseServer server() {
        return server;
    }

    @BeforeAll
    void startServer() throws InterruptedException {
        server = start(rig);
    }

    @BeforeEach
    void serverRuns() throws InterruptedException {
        if (!server.server().isRunning()) {
            server.start();
        }
    }

    @AfterEach
    @SuppressWarnings("InterruptedExceptionSwallowed") // Clients do not throw it when they are closed.
    void closeClients() throws Exception {
        while (!open.isEmpty()) {
            open.remove(0).close();
        }
    }

    @Test
    void lockIsHeldOverAKillOfTheServerAndServedAfterIt()
            throws ExecutionException, InterruptedException, TimeoutException {
        Holdfast holder = client(server.access());
        Lease lease = holder.lock("held").acquire();
        CompletableFuture<Lease> waiter = client(server.access()).lock("held").acquireAsync();
        untilWaiters("held");
        server.kill();
        assertThat(lease.isHeld()).isTrue();
        server.start();
        assertThat(lease.isHeld()).isTrue();
        assertThat(client(server.access()).lock("held").tryAcquire()).isEmpty();
        lease.close();

        assertThat(waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }

    @Test
    @Tag("full")
    void leaseIsRenewedAfterARestartOfTheServer() throws InterruptedException {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(12));
        Lease lease = client(server.access()).lock("held", options).acquire();
        server.kill();
        server.start();
        Duration left = lease.remaining();

        Awaitility.await().atMost(PATIENCE).until(() -> lease.remaining().compareTo(left) > 0);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void serverThatIsDownIsNoContention() throws InterruptedException {
        Holdfast locks = client(server.access());
        locks.lock("down").acquire().close();
        server.kill();

        assertThatThrownBy(() -> locks.lock("down").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        server.start();
        assertThat(locks.lock("down").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void acquireWhoseReplyWasLostAfterItsCommitFindsItsGrant() throws InterruptedException {
        FaultProxy cable = FaultProxy.before(rig, server.port());
        Holdfast locks = client(server.accessThrough(cable.port()));
        locks.lock("other").acquire().close();
        cable.dropReplies(1, request -> request.contains(acquireStatement()));
        Lease lease = locks.lock("lost").acquire();

        assertThat(cable.caught()).isEqualTo(1);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isTrue();
        assertThat(client(server.access()).lock("lost").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void singleTryWhoseReplyWasLostLeavesNothing() throws InterruptedException {
        FaultProxy cable = FaultProxy.before(rig, server.port());
        Holdfast locks = client(server.accessThrough(cable.port()));
        locks.lock("other").acquire().close();
        cable.dropReplies(1, request -> request.contains(acquireStatement()));

        assertThatThrownBy(() -> locks.lock("once").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        assertThat(client(server.access()).lock("once").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void connectionThatIsCutInTheMiddleOfAStatementIsReplaced() throws InterruptedException {
        FaultProxy cable = FaultProxy.before(rig, server.port());
        Holdfast locks = client(server.accessThrough(cable.port()));
        locks.lock("other").acquire().close();
        cable.resetOn(Direction.TO_SERVER, 2, request -> request.contains(acquireStatement()));
        Lease lease = locks.lock("cut").acquire();

        assertThat(cable.caught()).isGreaterThanOrEqualTo(1);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void blackHoleIsLossByTheDeadlineAndTheLockGoesToSomebodyElse()
            throws ExecutionException, InterruptedException, TimeoutException {
        FaultProxy cable = FaultProxy.before(rig, server.port());
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1_500));
        Lease lease =
                client(server.accessThrough(cable.port())).lock("hole", options).acquire();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        lease.onLost(reason -> told.complete(true));
        cable.blackHole(Direction.TO_CLIENT, Direction.TO_SERVER);
        Lease next = client(server.access()).lock("hole").acquire();

        assertThat(lease.isHeld()).isFalse();
        assertThat(told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(next.token()).isGreaterThan(lease.token());
        cable.heal();
    }

    @Test
    @Tag("full")
    void clientThatIsFrozenInTheMiddleOfATransactionCostsTheHolderNothing()
            throws ExecutionException, InterruptedException, TimeoutException {
        FaultProxy cable = FaultProxy.before(rig, server.port());
        // Its own patience is longer than the test, so that only the server can end its transaction.
        Holdfast frozen = keep(Holdfast.builder()
                .url(readable(server.accessThrough(cable.port())))
                .commandTimeout(PATIENCE.multipliedBy(2))
                .build());
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(12));
        Lease lease = client(server.access()).lock("frozen", options).acquire();
        cable.hold(Direction.TO_SERVER, 1, request -> request.contains("INSERT INTO holdfast_claim"));
        // Over two names the line is entered in a transaction, on every database; it has locked the rows by then.
        CompletableFuture<Lease> waiter = frozen.all("frozen", "other").acquireAsync();
        Awaitility.await().atMost(PATIENCE).until(() -> cable.caught() == 1);
        long until = System.nanoTime() + options.leaseTime().toNanos();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            assertThat(lease.isHeld()).isTrue();
            return System.nanoTime() - until > 0;
        });

        assertThat(lease.release()).isTrue();
        assertThat(waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token("frozen"))
                .isGreaterThan(lease.token());
    }

    @Test
    void renewalsGoOnWhenTheApplicationHasEmptiedThePool() throws SQLException, InterruptedException {
        try (HikariDataSource pool = pool(true, null)) {
            Holdfast locks = keep(Holdfast.builder().store(JdbcStore.on(pool)).build());
            LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3));
            Lease lease = locks.lock("busy", options).acquire();
            List<Connection> taken = new ArrayList<>();
            try {
                while (pool.getHikariPoolMXBean().getActiveConnections() < pool.getMaximumPoolSize()) {
                    taken.add(pool.getConnection());
                }
                untilRenewed(lease);
                untilRenewed(lease);
            } finally {
                for (Connection connection : taken) {
                    connection.close();
                }
            }
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void connectionsOfAStrictPoolServeAndGoBackAsTheyCame()
            throws ExecutionException, InterruptedException, SQLException, TimeoutException {
        try (HikariDataSource pool = pool(false, "TRANSACTION_REPEATABLE_READ")) {
            Holdfast locks = keep(Holdfast.builder().store(JdbcStore.on(pool)).build());
            Holdfast others = keep(Holdfast.builder().store(JdbcStore.on(pool)).build());
            for (int i = 0; i < 10; i++) {
                Lease lease = locks.lock("strict").acquire();
                CompletableFuture<Lease> waiter = others.lock("strict").acquireAsync();
                assertThat(locks.all("strict", "stricter").tryAcquire()).isEmpty();
                lease.close();
                waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
            }
            for (int i = 0; i < 3; i++) {
                try (Connection connection = pool.getConnection()) {
                    assertThat(connection.getAutoCommit()).isFalse();
                    assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
                    connection.rollback();
                }
            }
        }
    }

    @Test
    void wrongPasswordMissingTableAndWrongPrefixAreTheSetUpsFault() {
        Access access = server.access();
        String wrong = new Access(access.jdbcUrl(), access.user(), "sesame-open").jdbcUrlWithCredentials();
        assertThatThrownBy(() -> Holdfast.connect(wrong))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageNotContaining("sesame")
                .hasMessageContaining("SQL state");
        assertThatThrownBy(() -> {
                    Holdfast locks =
                            keep(Holdfast.connect(access.jdbcUrlWithCredentials() + "#schema=none&prefix=no_"));
                    locks.lock("x").tryAcquire();
                })
                .isInstanceOf(StoreMisconfiguredException.class);
        assertThatThrownBy(() -> Holdfast.connect(access.jdbcUrlWithCredentials() + "#schema=validate&prefix=no_"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("CREATE TABLE IF NOT EXISTS no_lock");
        assertThatThrownBy(() -> Holdfast.connect(access.jdbcUrlWithCredentials() + "#prefix=a;b"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("prefix");
    }

    /** Only a renewal makes what is left of a lease more. */
    private static void untilRenewed(Lease lease) {
        AtomicReference<Duration> before = new AtomicReference<>(lease.remaining());
        Awaitility.await().atMost(PATIENCE).until(() -> {
            assertThat(lease.isHeld()).isTrue();
            Duration left = lease.remaining();
            return left.compareTo(before.getAndSet(left)) > 0;
        });
    }

    private HikariDataSource pool(boolean autoCommit, String isolation) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.access().jdbcUrlWithCredentials());
        config.setMaximumPoolSize(8);
        config.setAutoCommit(autoCommit);
        config.setConnectionTimeout(2_000);
        if (isolation != null) {
            config.setTransactionIsolation(isolation);
        }
        return new HikariDataSource(config);
    }

    private Holdfast client(Access access) {
        return keep(Holdfast.builder().url(readable(access)).build());
    }

    /** The proxy waits for the text of a statement, which one that is prepared on the server shows only once. */
    private static String readable(Access access) {
        String url = access.jdbcUrlWithCredentials();
        return url.startsWith("jdbc:postgresql:") ? url : url + "&useServerPrepStmts=false";
    }

    private <T extends AutoCloseable> T keep(T client) {
        open.add(0, client);
        return client;
    }

    private void untilWaiters(String name) {
        Holdfast observer = client(server.access());
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> observer.inspect(name)
                        .map(view -> view.waiters().size())
                        .equals(Optional.of(1)));
    }
}
