package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.DialectServers;
import dev.holdfast.jdbc.Sql;
import dev.holdfast.jdbc.TestContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions on real databases: how long they may be idle, and what is repeated when the database has undone it. */
final class TransactionsTest {
    private static final int SECONDS = 60;

    private static final DialectServers SERVERS = new DialectServers();

    private final TestContext surroundings = new TestContext();

    @AfterEach
    void closeSurroundings() {
        surroundings.close();
    }

    @Test
    void onOwnConnectionsToMySqlATransactionMayBeIdleForLessTimeThanAConnection() throws InterruptedException {
        try (Database database = SERVERS.open(Dialect.MYSQL, surroundings.context())) {
            String idle = "SELECT @@SESSION.wait_timeout";

            assertThat(database.<Long>run("look", "x", connection -> Sql.ask(connection, idle)))
                    .isEqualTo(30);
            assertThat(database.<Long>transact(Dialect.MYSQL, "look", "x", connection -> Sql.ask(connection, idle)))
                    .isEqualTo(2);
            assertThat(database.<Long>run("look", "x", connection -> Sql.ask(connection, idle)))
                    .isEqualTo(30);
        }
    }

    @ParameterizedTest
    @EnumSource
    void workThatADeadlockHasUndoneIsRepeated(Dialect dialect)
            throws InterruptedException, SQLException, ExecutionException, TimeoutException {
        try (Database database = SERVERS.open(dialect, surroundings.context())) {
            makeRows(dialect, "deadlock");
            CountDownLatch bothHaveOne = new CountDownLatch(2);
            List<String> failures = new ArrayList<>();
            CompletableFuture<Integer> there = CompletableFuture.supplyAsync(
                    () -> raiseBoth(database, dialect, new int[] {1, 2}, bothHaveOne, failures));
            CompletableFuture<Integer> back = CompletableFuture.supplyAsync(
                    () -> raiseBoth(database, dialect, new int[] {2, 1}, bothHaveOne, failures));
            int attempts = there.get(SECONDS, TimeUnit.SECONDS) + back.get(SECONDS, TimeUnit.SECONDS);

            assertThat(failures).isNotEmpty().allMatch(deadlockOf(dialect)::equals);
            assertThat(attempts).isEqualTo(2 + failures.size());
            assertThat(valuesOf(database, "deadlock")).containsExactly(2L, 2L);
        }
    }

    /** Raises two rows, one after the other; each of two that do it in opposite order has one before it asks for two. */
    private static int raiseBoth(
            Database database, Dialect dialect, int[] order, CountDownLatch bothHaveOne, List<String> failures) {
        AtomicInteger attempts = new AtomicInteger();
        return database.transact(dialect, "raise", "both", connection -> {
            attempts.incrementAndGet();
            if (dialect == Dialect.POSTGRESQL) {
                Sql.tell(connection, "SET LOCAL deadlock_timeout = '20ms'");
            }
            Sql.tell(connection, "UPDATE deadlock SET value_ = value_ + 1 WHERE id = " + order[0]);
            bothHaveOne.countDown();
            awaitOrInterrupt(bothHaveOne);
            try {
                Sql.tell(connection, "UPDATE deadlock SET value_ = value_ + 1 WHERE id = " + order[1]);
            } catch (SQLException undone) {
                synchronized (failures) {
                    failures.add(nameOf(undone));
                }
                throw undone;
            }
            return attempts.get();
        });
    }

    private static void awaitOrInterrupt(CountDownLatch latch) {
        try {
            assertThat(latch.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @EnumSource
    void workWhoseWaitForARowTookTooLongIsRepeated(Dialect dialect) throws InterruptedException, SQLException {
        try (Database database = SERVERS.open(dialect, surroundings.context());
                Connection other = SERVERS.connect(dialect)) {
            makeRows(dialect, "patience");
            other.setAutoCommit(false);
            Sql.tell(other, "UPDATE patience SET value_ = 10 WHERE id = 2");
            List<String> failures = new ArrayList<>();
            int attempts = database.transact(dialect, "raise", "both", connection -> {
                Sql.tell(connection, impatience(dialect));
                Sql.tell(connection, "UPDATE patience SET value_ = value_ + 1 WHERE id = 1");
                try {
                    Sql.tell(connection, "UPDATE patience SET value_ = value_ + 1 WHERE id = 2");
                } catch (SQLException tooLong) {
                    failures.add(nameOf(tooLong));
                    other.commit();
                    throw tooLong;
                }
                return failures.size() + 1;
            });

            assertThat(failures).containsExactly(waitOf(dialect));
            assertThat(attempts).isEqualTo(2);
            assertThat(valuesOf(database, "patience"))
                    .as("the first attempt was undone as a whole")
                    .containsExactly(1L, 11L);
        }
    }

    private static String deadlockOf(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL -> "40P01/0";
            case MARIADB, MYSQL -> "40001/1213";
            case H2 -> "40001/40001";
        };
    }

    private static String waitOf(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL -> "55P03/0";
            case MARIADB -> "HY000/1205";
            case MYSQL -> "40001/1205";
            case H2 -> "HYT00/50200";
        };
    }

    /** The shortest patience that the database knows. */
    private static String impatience(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL -> "SET LOCAL lock_timeout = '10ms'";
            case MARIADB -> "SET SESSION innodb_lock_wait_timeout = 0";
            case MYSQL -> "SET SESSION innodb_lock_wait_timeout = 1";
            case H2 -> "SET LOCK_TIMEOUT 10";
        };
    }

    private static String nameOf(SQLException failure) {
        return failure.getSQLState() + "/" + failure.getErrorCode();
    }

    private static void makeRows(Dialect dialect, String table) throws InterruptedException, SQLException {
        try (Connection connection = SERVERS.connect(dialect)) {
            Sql.tell(connection, "DROP TABLE IF EXISTS " + table);
            Sql.tell(
                    connection,
                    "CREATE TABLE " + table + " (id INTEGER NOT NULL PRIMARY KEY, value_ INTEGER NOT NULL)");
            Sql.tell(connection, "INSERT INTO " + table + " VALUES (1, 0), (2, 0)");
        }
    }

    private static List<Long> valuesOf(Database database, String table) {
        return database.run(
                "read",
                table,
                connection -> List.of(
                        Sql.ask(connection, "SELECT value_ FROM " + table + " WHERE id = 1"),
                        Sql.ask(connection, "SELECT value_ FROM " + table + " WHERE id = 2")));
    }
}
