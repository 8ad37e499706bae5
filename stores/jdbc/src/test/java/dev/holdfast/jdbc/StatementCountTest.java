package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an uncontended lock costs: one statement to acquire and one to release, and nothing around them. */
final class StatementCountTest {
    private static final int PAIRS = 20;
    private static final int PASSES = 10;

    @RegisterExtension
    static final Rig RIG = new Rig();

    @Test
    void oneStatementToAcquireAndOneToReleaseOnH2() throws InterruptedException {
        assertThat(statementsOfPairs("jdbc:h2:mem:count")).hasSize(2 * PAIRS);
    }

    @Test
    void oneStatementToAcquireAndOneToReleaseOnPostgres() throws InterruptedException {
        assertThat(statementsOfPairs(Postgres.given(RIG).jdbcUrlWithCredentials()))
                .hasSize(2 * PAIRS);
    }

    @Test
    void oneStatementToAcquireAndOneToReleaseOnMariaDb() throws InterruptedException {
        assertThat(statementsOfPairs(MariaDb.given(RIG).jdbcUrlWithCredentials()))
                .hasSize(2 * PAIRS);
    }

    @Test
    void oneStatementToAcquireAndOneToReleaseOnMySql() throws InterruptedException {
        assertThat(statementsOfPairs(MySql.given(RIG).jdbcUrlWithCredentials())).hasSize(2 * PAIRS);
    }

    @Test
    void advisoryLockCostsOneStatementAndOneToGiveItBackOnPostgres() throws InterruptedException {
        List<String> statements = statementsOfPairs(
                Postgres.given(RIG).jdbcUrlWithCredentials(), store -> store.withStrategy(Strategy.ADVISORY));
        List<String> onTheLock =
                statements.stream().filter(sql -> sql.contains("pg_")).toList();

        assertThat(onTheLock)
                .filteredOn(sql -> sql.contains("pg_try_advisory_lock"))
                .hasSize(PAIRS);
        assertThat(onTheLock)
                .filteredOn(sql -> sql.contains("pg_advisory_unlock"))
                .hasSize(PAIRS);
        // What is logged but not on the disk yet is waited for: at least once in 32 epochs, so not for all of them.
        assertThat(statements).filteredOn("commit"::equals).hasSizeLessThan(PAIRS);
    }

    /** The tables are looked for once, not at each lock. */
    @Test
    void lockInATransactionCostsOneStatementOnPostgres() throws InterruptedException, SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(Postgres.given(RIG).jdbcUrlWithCredentials());
            CountingDataSource counting = new CountingDataSource(pool);
            JdbcStore store = JdbcStore.on(counting.dataSource()).withStrategy(Strategy.ROW);
            try (Connection mine = counting.dataSource().getConnection()) {
                mine.setAutoCommit(false);
                store.onConnection(mine).lock("counted");
                mine.commit();
                counting.forget();
                store.onConnection(mine).lock("counted");

                assertThat(counting.statements())
                        .singleElement(InstanceOfAssertFactories.STRING)
                        .startsWith("SELECT")
                        .endsWith("FOR UPDATE");
            }
        }
    }

    /** As the page shows it: everything is made anew for each lock, and is asked about the database once all the same. */
    @Test
    void lockInATransactionCostsOneStatementHoweverItIsMade() throws InterruptedException, SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(Postgres.given(RIG).jdbcUrlWithCredentials());
            CountingDataSource counting = new CountingDataSource(pool);
            DataSource dataSource = counting.dataSource();
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                JdbcStore.on(dataSource)
                        .withStrategy(Strategy.ROW)
                        .onConnection(connection)
                        .lock("orders/42");
                connection.commit();
                counting.forget();
                JdbcStore.on(dataSource)
                        .withStrategy(Strategy.ROW)
                        .onConnection(connection)
                        .lock("orders/42");

                assertThat(counting.statements())
                        .singleElement(InstanceOfAssertFactories.STRING)
                        .startsWith("SELECT")
                        .endsWith("FOR UPDATE");
                connection.rollback();
            }
        }
    }

    /** Where it is known that others wait, what is done as if nobody did would be in vain. */
    @Test
    void contendedLockIsEnteredByATransactionAndHandedOverInOneRoundTripOnMariaDb() throws InterruptedException {
        List<String> statements =
                statementsOfPasses(MariaDb.given(RIG).jdbcUrlWithCredentials(), "TRANSACTION_READ_COMMITTED");

        assertThat(statements)
                .filteredOn(sql -> sql.startsWith("SET") && sql.contains("autocommit = 0"))
                .hasSize(PASSES);
        assertThat(statements)
                .filteredOn(sql -> sql.startsWith("BEGIN NOT ATOMIC"))
                .hasSize(PASSES);
        assertThat(statements)
                .filteredOn(sql -> sql.contains("INSERT INTO holdfast_lock"))
                .isEmpty();
        assertThat(statements)
                .filteredOn(sql -> sql.startsWith("UPDATE holdfast_lock SET owner = NULL"))
                .isEmpty();
    }

    @Test
    void manyThreadsOfOneClientWaitAsOne() throws InterruptedException {
        int threads = 250;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:crowd");
        try (HikariDataSource pool = new HikariDataSource(config)) {
            CountingDataSource counting = new CountingDataSource(pool);
            try (Holdfast holder = Holdfast.builder().store(JdbcStore.on(pool)).build();
                    Holdfast waiter = Holdfast.builder()
                            .store(JdbcStore.on(counting.dataSource()))
                            .build()) {
                Lease lease = holder.lock("crowd").acquire();
                List<CompletableFuture<Lease>> waiting = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    waiting.add(waiter.lock("crowd").acquireAsync());
                }
                Awaitility.await().until(() -> counting.statements().stream().anyMatch(sql -> owners(sql) > 0));
                Awaitility.await().until(() -> counting.statements().size() >= 20);

                assertThat(counting.statements()).allMatch(sql -> owners(sql) <= 1);
                assertThat(holder.inspect("crowd").orElseThrow().waiters()).hasSize(1);
                lease.close();
                waiting.forEach(future -> future.cancel(false));
            }
        }
    }

    @Test
    void allWaitingNamesAreAskedForInOneStatement() throws InterruptedException {
        int names = 50;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:waiting");
        try (HikariDataSource pool = new HikariDataSource(config)) {
            CountingDataSource counting = new CountingDataSource(pool);
            try (Holdfast holder = Holdfast.builder().store(JdbcStore.on(pool)).build();
                    Holdfast waiter = Holdfast.builder()
                            .store(JdbcStore.on(counting.dataSource()))
                            .build()) {
                List<Lease> held = new ArrayList<>();
                List<CompletableFuture<Lease>> waiting = new ArrayList<>();
                for (int i = 0; i < names; i++) {
                    held.add(holder.lock("wanted/" + i).acquire());
                    waiting.add(waiter.lock("wanted/" + i).acquireAsync());
                }
                Awaitility.await().until(() -> counting.statements().stream().anyMatch(sql -> owners(sql) == names));
                counting.forget();
                Awaitility.await().until(() -> counting.statements().size() >= 5);

                assertThat(counting.statements()).allMatch(sql -> owners(sql) == names);
                assertThat(held).allMatch(Lease::isHeld);
                waiting.forEach(future -> future.cancel(false));
            }
        }
    }

    /** Renewals and looks are among the statements, which belong to neither; each of the two steps tells somebody. */
    @Test
    void contendedLockIsEnteredAndHandedOverInOneRoundTripEachOnPostgres() throws InterruptedException {
        List<String> statements =
                statementsOfPasses(Postgres.given(RIG).jdbcUrlWithCredentials(), "TRANSACTION_READ_COMMITTED");

        assertThat(statements).filteredOn(sql -> sql.contains("pg_notify")).hasSize(2 * PASSES);
        assertThat(statements).as("transactions").doesNotContain("commit");
    }

    /** Where every statement of a transaction has the same view, a waiter that has just come would be missed. */
    @Test
    void contendedLockIsDecidedOnInATransactionWhereConnectionsAreNotAtReadCommitted() throws InterruptedException {
        assertThat(statementsOfPasses(Postgres.given(RIG).jdbcUrlWithCredentials(), "TRANSACTION_REPEATABLE_READ"))
                .filteredOn("commit"::equals)
                .hasSizeGreaterThanOrEqualTo(2 * PASSES);
    }

    private static List<String> statementsOfPasses(String url, String isolation) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setTransactionIsolation(isolation);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            CountingDataSource counting = new CountingDataSource(pool);
            try (Holdfast one = Holdfast.builder()
                            .store(JdbcStore.on(counting.dataSource()))
                            .build();
                    Holdfast two = Holdfast.builder()
                            .store(JdbcStore.on(counting.dataSource()))
                            .build()) {
                Lease lease = pass(one.lock("passed").acquire(), two);
                lease = pass(lease, one);
                counting.forget();
                for (int i = 0; i < PASSES; i++) {
                    lease = pass(lease, i % 2 == 0 ? two : one);
                }
                List<String> statements = List.copyOf(counting.statements());
                lease.close();
                return statements;
            }
        }
    }

    private static Lease pass(Lease held, Holdfast to) {
        CompletableFuture<Lease> next = to.lock("passed").acquireAsync();
        Awaitility.await()
                .until(() -> to.inspect("passed").orElseThrow().waiters().size() == 1);
        held.close();
        return next.join();
    }

    /** How many claims a statement asks for. */
    private static int owners(String sql) {
        int from = sql.indexOf("c.owner IN (");
        return from < 0
                ? 0
                : (int) sql.substring(from, sql.indexOf(')', from))
                        .chars()
                        .filter(mark -> mark == '?')
                        .count();
    }

    private static List<String> statementsOfPairs(String url) throws InterruptedException {
        return statementsOfPairs(url, store -> store);
    }

    private static List<String> statementsOfPairs(String url, UnaryOperator<JdbcStore> choice)
            throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            CountingDataSource counting = new CountingDataSource(pool);
            JdbcStore store = choice.apply(JdbcStore.on(counting.dataSource()).withNotifications(false));
            try (Holdfast locks = Holdfast.builder().store(store).build()) {
                takeAndGiveBack(locks, PAIRS);
                counting.forget();
                takeAndGiveBack(locks, PAIRS);
                return List.copyOf(counting.statements());
            }
        }
    }

    private static void takeAndGiveBack(Holdfast locks, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            try (Lease lease = locks.lock("orders/42").acquire()) {
                lease.ensureHeld();
            }
        }
    }
}
