package dev.holdfast.jdbc;

import static dev.holdfast.jdbc.RealDatabase.ask;
import static dev.holdfast.jdbc.RealDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The lock ends with the work, however that ends. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB_COUNTING_MATCHES", "MYSQL_COUNTING_MATCHES"})
final class TableLockTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    static final RealDatabase.Servers servers = new RealDatabase.Servers(rig);

    private static final TableLock LOCK = TableLock.exclusive("parcel", "label");

    @Parameter
    RealDatabase database;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private RawPool pool;
    private RawPool others;

    @BeforeEach
    void prepare() throws InterruptedException, SQLException {
        pool = servers.pool(database);
        others = servers.pool(database);
        for (String table : List.of("parcel", "label")) {
            execute(pool, "DROP TABLE IF EXISTS " + table);
            execute(pool, "CREATE TABLE " + table + " (id INT PRIMARY KEY, weight INT NOT NULL)");
            execute(pool, "INSERT INTO " + table + " VALUES (1, 10)");
        }
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void nobodyElseReadsOrWritesUntilTheWorkIsDone() throws InterruptedException, SQLException, ExecutionException {
        Future<String> reader = LOCK.call(pool, connection -> {
            Future<String> reading = threads.submit(() -> ask(others, "SELECT weight FROM parcel"));
            Sql.tell(connection, "UPDATE parcel SET weight = 20");
            Sql.tell(connection, "UPDATE label SET weight = weight + 1");
            assertStillWaiting(reading);
            return reading;
        });
        assertThat(reader.get()).isEqualTo("20");
        execute(others, "UPDATE parcel SET weight = 30");
        assertThat(ask(others, "SELECT weight FROM label")).isEqualTo("11");
        assertAsBefore();
    }

    @Test
    void workThatThrowsIsUndoneAndUnlocked() throws SQLException {
        assertThatThrownBy(() -> LOCK.run(pool, connection -> {
                    Sql.tell(connection, "UPDATE parcel SET weight = 20");
                    throw new IllegalStateException("changed my mind");
                }))
                .hasMessage("changed my mind");
        assertThatThrownBy(() -> LOCK.run(pool, connection -> {
                    Sql.tell(connection, "UPDATE parcel SET weight = 20");
                    Sql.tell(connection, "UPDATE nothing SET weight = 20");
                }))
                .isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> LOCK.run(pool, connection -> {
                    Sql.tell(connection, "UPDATE parcel SET weight = 20");
                    connection.setAutoCommit(true);
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(ask(others, "SELECT weight FROM parcel")).isEqualTo("10");
        execute(others, "UPDATE parcel SET weight = 30");
        assertAsBefore();
    }

    @Test
    void aConnectionThatDiesWithinTheWorkUnlocksAndIsNotUsedAgain() throws SQLException {
        assertThatThrownBy(() -> LOCK.run(pool, connection -> {
                    Sql.tell(connection, "UPDATE parcel SET weight = 20");
                    cut(connection);
                    Sql.tell(connection, "UPDATE parcel SET weight = 30");
                }))
                .isInstanceOf(SQLException.class);
        execute(others, "UPDATE parcel SET weight = weight + 1");
        assertThat(ask(others, "SELECT weight FROM parcel")).isEqualTo("11");
        assertThat(pool.aborted()).isEqualTo(1);
        assertAsBefore();
    }

    @Test
    void aConnectionThatDiesBeforeTheCommitLeavesTheOutcomeOpen() throws SQLException {
        assertThatThrownBy(() -> LOCK.run(pool, connection -> {
                    Sql.tell(connection, "UPDATE parcel SET weight = 20");
                    cut(connection);
                }))
                .isInstanceOf(StoreUnavailableException.class);
        execute(others, "UPDATE parcel SET weight = weight + 1");
        assertThat(pool.aborted()).isEqualTo(1);
        assertAsBefore();
    }

    @Test
    void aTableInUseIsWaitedForInVain() throws SQLException {
        try (Connection busy = others.getConnection()) {
            busy.setAutoCommit(false);
            Sql.tell(busy, "UPDATE label SET weight = 1");
            assertThatThrownBy(() -> LOCK.within(Duration.ofMillis(500)).run(pool, connection -> {
                        throw new AssertionError("must not run");
                    }))
                    .isInstanceOf(TableBusyException.class)
                    .hasMessageContaining("label, parcel");
            busy.rollback();
            busy.setAutoCommit(true);
        }
        LOCK.run(pool, connection -> Sql.tell(connection, "UPDATE parcel SET weight = 20"));
        assertAsBefore();
    }

    @Test
    void sharedLocksGoTogetherAndKeepWritersOut() throws InterruptedException, SQLException, ExecutionException {
        TableLock shared = TableLock.shared("parcel");
        Future<?> writer = shared.call(
                pool,
                one -> shared.call(others, other -> {
                    assertThat(ask(one, "SELECT weight FROM parcel")).isEqualTo("10");
                    assertThat(ask(other, "SELECT weight FROM parcel")).isEqualTo("10");
                    Future<?> writing = threads.submit(() -> {
                        execute(others, "UPDATE parcel SET weight = 20");
                        return null;
                    });
                    assertStillWaiting(writing);
                    return writing;
                }));
        writer.get();
        assertThat(ask(others, "SELECT weight FROM parcel")).isEqualTo("20");
        assertAsBefore();
    }

    @Test
    void twoWhoNameTheSameTablesInAnotherOrderDoNotBlockEachOther()
            throws InterruptedException, SQLException, ExecutionException {
        CountDownLatch go = new CountDownLatch(1);
        List<Future<?>> all = new ArrayList<>();
        for (TableLock lock : List.of(LOCK, TableLock.exclusive("label", "parcel"))) {
            all.add(threads.submit(() -> {
                go.await();
                for (int i = 0; i < 20; i++) {
                    lock.run(pool, connection -> {
                        Sql.tell(connection, "UPDATE parcel SET weight = weight + 1");
                        Sql.tell(connection, "UPDATE label SET weight = weight + 1");
                    });
                }
                return null;
            }));
        }
        go.countDown();
        for (Future<?> one : all) {
            one.get();
        }
        assertThat(ask(others, "SELECT weight FROM parcel")).isEqualTo("50");
        assertAsBefore();
    }

    @Test
    void aStrictConnectionWithoutAutocommitIsGivenBackAsItCame() throws InterruptedException, SQLException {
        RawPool strict = servers.pool(database, false, Connection.TRANSACTION_REPEATABLE_READ);
        try (Connection reader = strict.getConnection()) {
            ask(reader, "SELECT weight FROM parcel");
        }
        execute(others, "UPDATE parcel SET weight = 20");
        assertThat(LOCK.<String, RuntimeException>call(strict, c -> ask(c, "SELECT weight FROM parcel")))
                .isEqualTo("20");
        strict.assertUnchanged();
        execute(others, "UPDATE parcel SET weight = 30");
    }

    @Test
    void badInputAndDatabasesWithoutTableLocksAreRefused() throws InterruptedException {
        assertThatThrownBy(() -> TableLock.exclusive("parcel WRITE; DROP TABLE label"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LOCK.within(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        RawPool h2 = servers.pool(RealDatabase.H2);
        assertThatThrownBy(() -> LOCK.run(h2, connection -> {}))
                .isExactlyInstanceOf(HoldfastException.class)
                .hasMessageContaining("H2");
    }

    /** Every connection is back and as it came, with the limits that sessions have. */
    private void assertAsBefore() throws SQLException {
        pool.assertUnchanged();
        others.assertUnchanged();
        String asksForLimit = database.isMySqlFamily() ? "SELECT @@SESSION.lock_wait_timeout" : "SHOW lock_timeout";
        assertThat(Double.valueOf(ask(pool, asksForLimit))).isEqualTo(database.isMySqlFamily() ? 20.0 : 0.0);
    }

    private static void assertStillWaiting(Future<?> future) {
        assertThatThrownBy(() -> future.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    /** Ends the connection's session on the server. */
    private void cut(Connection connection) throws SQLException {
        if (database.isMySqlFamily()) {
            execute(others, "KILL " + ask(connection, "SELECT CONNECTION_ID()"));
        } else {
            String pid = ask(connection, "SELECT pg_backend_pid()");
            assertThat(ask(others, "SELECT pg_terminate_backend(" + pid + ", 10000)"))
                    .isEqualTo("t");
        }
    }
}
