package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nobody who keeps a connection of a pool waits for a second one. */
final class SmallPoolTest {
    private static final int SIZE = 8;
    private static final List<RealDatabase> DATABASES = List.of(
            RealDatabase.POSTGRESQL, RealDatabase.MARIADB_COUNTING_CHANGES, RealDatabase.MYSQL_COUNTING_CHANGES);

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final RealDatabase.Servers SERVERS = new RealDatabase.Servers(RIG);

    private final ExecutorService threads = Executors.newFixedThreadPool(SIZE);

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @Test
    void asManyAcquirersOfRowLocksAsConnectionsDoNotBlockEachOther()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        for (RealDatabase database : DATABASES) {
            try (HikariDataSource pool = pool(database);
                    Holdfast locks = Holdfast.builder()
                            .store(JdbcStore.on(pool).withStrategy(Strategy.ROW))
                            .build()) {
                CyclicBarrier all = new CyclicBarrier(SIZE);
                together(() -> {
                    for (int i = 0; i < 40; i++) {
                        all.await(30, TimeUnit.SECONDS);
                        try (Lease lease =
                                locks.lock(Thread.currentThread().getName() + i).acquire()) {
                            assertThat(lease.isHeld()).isTrue();
                        }
                    }
                    return true;
                });
            }
        }
    }

    /** One for renewals, one that listens, and one for short moments. */
    @Test
    void poolsAsSmallAsThePageSaysServeLeases()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        for (RealDatabase database : DATABASES) {
            int size = database == RealDatabase.POSTGRESQL ? 3 : 2;
            try (HikariDataSource pool = pool(database);
                    HikariDataSource another = pool(database)) {
                pool.setMaximumPoolSize(size);
                another.setMaximumPoolSize(size);
                try (Holdfast locks =
                                Holdfast.builder().store(JdbcStore.on(pool)).build();
                        Holdfast others =
                                Holdfast.builder().store(JdbcStore.on(another)).build()) {
                    List<Lease> held = new ArrayList<>();
                    for (int i = 0; i < 3 * SIZE; i++) {
                        held.add(locks.lock("small/" + i).acquire());
                    }
                    CompletableFuture<Lease> next = others.lock("small/0").acquireAsync();
                    Awaitility.await()
                            .until(() -> !locks.inspect("small/0")
                                    .orElseThrow()
                                    .waiters()
                                    .isEmpty());
                    assertThat(held).allMatch(Lease::isHeld);
                    assertThat(held).allMatch(Lease::release);
                    next.get(30, TimeUnit.SECONDS).close();
                }
            }
        }
    }

    /** One for each lock, and one for everything else. */
    @Test
    void poolsAsSmallAsThePageSaysServeLocksThatKeepAConnection() throws SQLException, InterruptedException {
        for (RealDatabase database : DATABASES) {
            for (Strategy strategy : List.of(Strategy.ROW, Strategy.ADVISORY)) {
                try (HikariDataSource pool = pool(database)) {
                    pool.setMaximumPoolSize(SIZE + 1);
                    try (Holdfast locks = Holdfast.builder()
                            .store(JdbcStore.on(pool).withStrategy(strategy))
                            .build()) {
                        List<Lease> held = new ArrayList<>();
                        for (int i = 0; i < SIZE; i++) {
                            held.add(locks.lock("small/" + strategy + i).acquire());
                        }
                        assertThat(locks.inspect("small/" + strategy + 0)
                                        .orElseThrow()
                                        .holders())
                                .hasSize(1);
                        assertThat(held).allMatch(Lease::isHeld);
                        assertThat(held).allMatch(Lease::release);
                    }
                }
            }
        }
    }

    @Test
    void asManyTransactionsWithLocksAsConnectionsDoNotBlockEachOther()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        for (RealDatabase database : DATABASES) {
            try (HikariDataSource pool = pool(database)) {
                JdbcStore store = JdbcStore.on(pool).withStrategy(Strategy.ROW);
                try (Connection first = pool.getConnection()) {
                    first.setAutoCommit(false);
                    store.onConnection(first).lock("makes the tables");
                    first.commit();
                }
                CyclicBarrier all = new CyclicBarrier(SIZE);
                together(() -> {
                    try (Connection mine = pool.getConnection()) {
                        mine.setAutoCommit(false);
                        all.await(30, TimeUnit.SECONDS);
                        store.onConnection(mine)
                                .lock("of " + Thread.currentThread().getName());
                        store.onConnection(mine).lock("of all");
                        mine.commit();
                    }
                    return true;
                });
            }
        }
    }

    @Test
    void nameWhoseFirstTransactionWasRolledBackCanBeLockedAgain() throws SQLException, InterruptedException {
        for (RealDatabase database : RealDatabase.values()) {
            try (HikariDataSource pool = pool(database);
                    Connection mine = pool.getConnection();
                    Connection other = pool.getConnection()) {
                JdbcStore store = JdbcStore.on(pool).withStrategy(Strategy.ROW);
                mine.setAutoCommit(false);
                other.setAutoCommit(false);
                for (int round = 0; round < 2; round++) {
                    assertThat(store.onConnection(mine).tryLock("undone"))
                            .as(database.name())
                            .isTrue();
                    assertThat(store.onConnection(other).tryLock("undone")).isFalse();
                    mine.rollback();
                    assertThat(store.onConnection(other).tryLock("undone")).isTrue();
                    assertThat(store.onConnection(mine).tryLock("undone")).isFalse();
                    other.rollback();
                    store.onConnection(mine).lock("undone");
                    mine.rollback();
                }
            }
        }
    }

    /** A snapshot from before the wait would not show what the holder before has written. */
    @Test
    void whoWaitsForALockSeesWhatItsHolderHasWritten()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        for (RealDatabase database :
                List.of(RealDatabase.MARIADB_COUNTING_CHANGES, RealDatabase.MYSQL_COUNTING_CHANGES)) {
            try (HikariDataSource pool = pool(database)) {
                pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
                JdbcStore store = JdbcStore.on(pool).withStrategy(Strategy.ROW);
                RealDatabase.execute(pool, "CREATE TABLE IF NOT EXISTS counted (id INT PRIMARY KEY, number INT)");
                RealDatabase.execute(pool, "REPLACE INTO counted VALUES (1, 0)");
                together(() -> {
                    for (int i = 0; i < 5; i++) {
                        try (Connection mine = pool.getConnection()) {
                            mine.setAutoCommit(false);
                            store.onConnection(mine).lock("counter");
                            long seen = Sql.ask(mine, "SELECT number FROM counted WHERE id = 1");
                            Sql.tell(mine, "UPDATE counted SET number = " + (seen + 1) + " WHERE id = 1");
                            mine.commit();
                        }
                    }
                    return true;
                });
                assertThat(RealDatabase.ask(pool, "SELECT number FROM counted")).isEqualTo(String.valueOf(5 * SIZE));
            }
        }
    }

    private void together(Callable<Boolean> work) throws InterruptedException, ExecutionException, TimeoutException {
        List<Future<Boolean>> running = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            running.add(threads.submit(work));
        }
        for (Future<Boolean> one : running) {
            assertThat(one.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static HikariDataSource pool(RealDatabase database) throws InterruptedException {
        HikariDataSource pool = new HikariDataSource();
        if (database == RealDatabase.H2) {
            pool.setJdbcUrl("jdbc:h2:mem:small;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=500");
        } else {
            pool.setJdbcUrl(SERVERS.access(database).jdbcUrlWithCredentials());
        }
        pool.setMaximumPoolSize(SIZE);
        pool.setConnectionTimeout(5_000);
        return pool;
    }
}
