package dev.holdfast.jdbc;

import static dev.holdfast.jdbc.RealDatabase.ask;
import static dev.holdfast.jdbc.RealDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A guarded row or database accepts only tokens that are at least as large as the largest it has seen (P7). */
@ParameterizedClass
@EnumSource
final class JdbcFenceTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    static final RealDatabase.Servers servers = new RealDatabase.Servers(rig);

    @Parameter
    RealDatabase database;

    private final Holdfast locks = Holdfast.connect("memory:");
    private final JdbcFence byColumn = JdbcFence.column("account/1", "account", "id", 1, "fence");
    private final JdbcFence bySideTable = JdbcFence.sideTable("account/1", FenceTable.usual());
    private RawPool pool;

    @BeforeEach
    void prepare() throws InterruptedException, SQLException {
        pool = servers.pool(database);
        execute(pool, "DROP TABLE IF EXISTS account");
        execute(pool, "DROP TABLE IF EXISTS holdfast_fence");
        execute(pool, "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, fence BIGINT)");
        execute(pool, "INSERT INTO account VALUES (1, 100, NULL), (2, 100, NULL)");
        FenceTable.usual().create(pool).create(pool);
    }

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void aHolderWritesAgainAndAgain() throws InterruptedException, SQLException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            try (Lease lease = locks.lock("account/1").acquire()) {
                for (int i = 0; i < 3; i++) {
                    fence.run(pool, lease, this::withdraw);
                }
                int left = fence.call(
                        pool,
                        lease,
                        connection -> Integer.parseInt(ask(connection, "SELECT balance FROM account WHERE id = 1")));
                assertThat(left).isEqualTo(fence == byColumn ? 97 : 94);
            }
        }
        assertThat(ask(pool, "SELECT fence FROM account WHERE id = 1")).isNotNull();
        assertThat(ask(pool, "SELECT fence FROM account WHERE id = 2")).isNull();
        pool.assertUnchanged();
    }

    @Test
    void aStaleHolderIsRefusedOnceItsSuccessorHasRead() throws InterruptedException, SQLException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            Lease stale = locks.lock("account/1").acquire();
            fence.run(pool, stale, this::withdraw);
            String before = ask(pool, "SELECT balance FROM account WHERE id = 1");
            locks.evict("account/1", "test");
            try (Lease successor = locks.lock("account/1").acquire()) {
                assertThat(read(fence, successor)).isEqualTo(before);
                assertThatThrownBy(() -> fence.run(pool, stale, this::withdraw))
                        .isInstanceOfSatisfying(StaleTokenException.class, refused -> {
                            assertThat(refused.token()).isEqualTo(stale.token());
                            assertThat(refused.largestSeen()).isEqualTo(successor.token());
                        });
                assertThat(read(fence, successor)).isEqualTo(before);
            }
        }
        pool.assertUnchanged();
    }

    @Test
    void workThatThrowsChangesNothingOfTheCallers() throws InterruptedException, SQLException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            try (Lease lease = locks.lock("account/1").acquire()) {
                assertThatThrownBy(() -> fence.run(pool, lease, connection -> {
                            withdraw(connection);
                            throw new IllegalStateException("changed my mind");
                        }))
                        .hasMessage("changed my mind");
                assertThatThrownBy(() -> fence.run(pool, lease, connection -> {
                            withdraw(connection);
                            Sql.tell(connection, "UPDATE no_such_table SET x = 1");
                        }))
                        .isInstanceOf(SQLException.class);
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE id = 1")).isEqualTo("100");
        pool.assertUnchanged();
    }

    @Test
    void aSuccessorWaitsForAWriteUnderWayAndSeesIt()
            throws InterruptedException, SQLException, ExecutionException, TimeoutException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            String before = ask(pool, "SELECT balance FROM account WHERE id = 1");
            Lease slow = locks.lock("account/1").acquire();
            CountDownLatch raised = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            CompletableFuture<Void> writing = async(() -> fence.run(pool, slow, connection -> {
                raised.countDown();
                goOn.await();
                withdraw(connection);
            }));
            raised.await();
            locks.evict("account/1", "test");
            try (Lease successor = locks.lock("account/1").acquire()) {
                CompletableFuture<String> seen = new CompletableFuture<>();
                CompletableFuture<Void> reading = async(() -> seen.complete(read(fence, successor)));
                assertThatThrownBy(() -> seen.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                goOn.countDown();
                writing.get(60, TimeUnit.SECONDS);
                reading.get(60, TimeUnit.SECONDS);
                assertThat(seen.get()).isEqualTo(Integer.toString(Integer.parseInt(before) - 1));
                assertThatThrownBy(() -> fence.run(pool, slow, this::withdraw)).isInstanceOf(StaleTokenException.class);
            }
        }
    }

    @Test
    void manyWhoRaiseAtOnceAgreeOnTheOrder() throws InterruptedException, SQLException, ExecutionException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                leases.add(locks.lock("account/1").acquire());
                locks.evict("account/1", "test");
            }
            execute(pool, "UPDATE account SET balance = 100");
            AtomicInteger accepted = new AtomicInteger();
            List<Long> order = Collections.synchronizedList(new ArrayList<>());
            ExecutorService threads = Executors.newFixedThreadPool(leases.size());
            try {
                List<Future<?>> all = new ArrayList<>();
                for (Lease lease : leases) {
                    all.add(threads.submit(() -> {
                        try {
                            fence.run(pool, lease, connection -> {
                                order.add(lease.token());
                                withdraw(connection);
                            });
                            accepted.incrementAndGet();
                        } catch (StaleTokenException refused) {
                            assertThat(refused.largestSeen()).isGreaterThan(lease.token());
                        }
                        return null;
                    }));
                }
                for (Future<?> one : all) {
                    one.get();
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(order)
                    .isSorted()
                    .hasSize(accepted.get())
                    .contains(leases.get(7).token());
            assertThat(ask(pool, "SELECT balance FROM account WHERE id = 1"))
                    .isEqualTo(Integer.toString(100 - accepted.get()));
        }
        pool.assertUnchanged();
    }

    @Test
    void poolsThatHandOutStrictConnectionsWithoutAutocommitWork() throws InterruptedException, SQLException {
        RawPool strict = servers.pool(database, false, Connection.TRANSACTION_REPEATABLE_READ);
        try (Connection reader = strict.getConnection()) {
            // Given back within a transaction, as a careless user of the pool does.
            ask(reader, "SELECT balance FROM account WHERE id = 1");
        }
        execute(pool, "UPDATE account SET balance = 50 WHERE id = 1");
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            try (Lease lease = locks.lock("account/1").acquire()) {
                String balance = fence.call(strict, lease, c -> ask(c, "SELECT balance FROM account WHERE id = 1"));
                assertThat(balance).isEqualTo(fence == byColumn ? "50" : "49");
                fence.run(strict, lease, this::withdraw);
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE id = 1")).isEqualTo("48");
        strict.assertUnchanged();
    }

    @Test
    void theCallersOwnTransactionIsJoined() throws InterruptedException, SQLException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            Lease stale = locks.lock("account/1").acquire();
            try (Connection connection = pool.getConnection()) {
                assertThatThrownBy(() -> fence.raise(connection, stale)).isInstanceOf(IllegalStateException.class);
                connection.setAutoCommit(false);
                fence.raise(connection, stale);
                fence.raise(connection, stale);
                withdraw(connection);
                connection.commit();
                locks.evict("account/1", "test");
                try (Lease successor = locks.lock("account/1").acquire()) {
                    fence.raise(connection, successor);
                    connection.commit();
                }
                assertThatThrownBy(() -> fence.raise(connection, stale)).isInstanceOf(StaleTokenException.class);
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE id = 1")).isEqualTo("98");
    }

    @Test
    void aSuccessorDoesNotWaitForeverForATransactionThatDoesNotEnd() throws InterruptedException, SQLException {
        for (JdbcFence fence : List.of(byColumn, bySideTable)) {
            Lease paused = locks.lock("account/1").acquire();
            try (Connection stuck = pool.getConnection()) {
                stuck.setAutoCommit(false);
                fence.raise(stuck, paused);
                locks.evict("account/1", "test");
                try (Lease successor = locks.lock("account/1").acquire()) {
                    // Whole seconds are all that drivers can be told; to wait for less than was asked for would be
                    // wrong.
                    boolean odd = fence == byColumn;
                    JdbcFence soon = fence.within(Duration.ofMillis(odd ? 1_001 : 1_000));
                    assertThatThrownBy(() -> soon.run(pool, successor, this::withdraw))
                            .isExactlyInstanceOf(HoldfastException.class)
                            .hasMessageContaining("within " + (odd ? 2 : 1) + " s")
                            .hasMessageContaining("keeps its row locked");
                    stuck.rollback();
                    fence.run(pool, successor, this::withdraw);
                }
                stuck.setAutoCommit(true);
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE id = 1")).isEqualTo("98");
        pool.assertUnchanged();
        for (Duration tooShort : List.of(Duration.ZERO, Duration.ofMillis(300))) {
            assertThatThrownBy(() -> byColumn.within(tooShort))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(tooShort.toString());
        }
    }

    @Test
    void theWorkCannotEndTheTransactionItself() throws InterruptedException, SQLException {
        try (Lease lease = locks.lock("account/1").acquire()) {
            List<SqlAction<RuntimeException>> attempts = List.of(
                    Connection::commit,
                    Connection::rollback,
                    Connection::close,
                    connection -> connection.setAutoCommit(true));
            for (SqlAction<RuntimeException> attempt : attempts) {
                assertThatThrownBy(() -> byColumn.run(pool, lease, connection -> {
                            withdraw(connection);
                            attempt.run(connection);
                        }))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("return to commit");
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE id = 1")).isEqualTo("100");
    }

    @Test
    void namesThatDifferInCaseOnlyAreDifferentLocks() throws InterruptedException, SQLException {
        JdbcFence upper = JdbcFence.sideTable("ACCOUNT/1", FenceTable.usual());
        try (Lease lower = locks.lock("account/1").acquire();
                Lease later = locks.lock("ACCOUNT/1").acquire()) {
            assertThat(later.token()).isNotEqualTo(lower.token());
            upper.run(pool, later, this::withdraw);
            bySideTable.run(pool, lower, this::withdraw);
            upper.run(pool, later, this::withdraw);
        }
        assertThat(ask(pool, "SELECT COUNT(*) FROM holdfast_fence")).isEqualTo("2");
    }

    @Test
    void wrongUseIsToldApart() throws InterruptedException {
        try (Lease lease = locks.lock("account/1").acquire();
                Lease other = locks.lock("other").acquire();
                Lease shared = locks.readWriteLock("catalog").readLock().acquire()) {
            JdbcFence absent = JdbcFence.column("account/1", "account", "id", 99, "fence");
            assertThatThrownBy(() -> absent.run(pool, lease, this::withdraw))
                    .isExactlyInstanceOf(HoldfastException.class)
                    .hasMessageContaining("no row");
            JdbcFence several = JdbcFence.column("account/1", "account", "balance", 100, "fence");
            assertThatThrownBy(() -> several.run(pool, lease, this::withdraw))
                    .isExactlyInstanceOf(HoldfastException.class)
                    .hasMessageContaining("2");
            assertThatThrownBy(() -> byColumn.run(pool, other, this::withdraw))
                    .isInstanceOf(IllegalArgumentException.class);
            JdbcFence catalog = JdbcFence.sideTable("catalog", FenceTable.usual());
            assertThatThrownBy(() -> catalog.run(pool, shared, this::withdraw))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("exclusive");
            assertThatThrownBy(() -> new FenceTable("fence; DROP TABLE account"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> JdbcFence.column("x", "account", "id = 1 OR 1", 1, "fence"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private String read(JdbcFence fence, Lease lease) throws SQLException, InterruptedException {
        return fence.call(pool, lease, connection -> ask(connection, "SELECT balance FROM account WHERE id = 1"));
    }

    private void withdraw(Connection connection) throws SQLException {
        Sql.tell(connection, "UPDATE account SET balance = balance - 1 WHERE id = 1");
    }

    private interface Step {
        void run() throws SQLException, InterruptedException;
    }

    private static CompletableFuture<Void> async(Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                step.run();
                done.complete(null);
            } catch (SQLException | InterruptedException | RuntimeException failure) {
                done.completeExceptionally(failure);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }
}
