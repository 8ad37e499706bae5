package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No row is in the way of all names. */
final class OneRowTest {
    private static final String WAITING =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%s%%' AND command <> 'Sleep'";

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final RealDatabase.Servers SERVERS = new RealDatabase.Servers(RIG);

    @Test
    void acquireThatWaitsForItsRowAndAPurgeDoNotStopOtherNames()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        for (RealDatabase database :
                List.of(RealDatabase.MARIADB_COUNTING_MATCHES, RealDatabase.MYSQL_COUNTING_MATCHES)) {
            ExecutorService threads = Executors.newFixedThreadPool(2);
            try (HikariDataSource pool = new HikariDataSource();
                    Connection operator = SERVERS.access(database).connect();
                    Connection purge = SERVERS.access(database).connect();
                    Connection watch = SERVERS.access(database).connect()) {
                pool.setJdbcUrl(SERVERS.access(database).jdbcUrlWithCredentials());
                try (Holdfast locks =
                        Holdfast.builder().store(JdbcStore.on(pool)).build()) {
                    // The row is there, and new to the client: only then a statement runs that may make it.
                    try (Holdfast first =
                            Holdfast.builder().store(JdbcStore.on(pool)).build()) {
                        first.lock("blocked").acquire().close();
                    }
                    operator.setAutoCommit(false);
                    lockRow(operator, "blocked");
                    Future<?> blocked =
                            threads.submit(() -> locks.lock("blocked").tryAcquire());
                    Awaitility.await().until(() -> Sql.ask(watch, WAITING.formatted("INSERT INTO holdfast_lock")) == 1);
                    Future<?> raised = threads.submit(() -> {
                        Sql.tell(purge, "UPDATE holdfast_meta SET floor_epoch = floor_epoch + 1");
                        return true;
                    });
                    Awaitility.await()
                            .until(() ->
                                    raised.isDone() || Sql.ask(watch, WAITING.formatted("UPDATE holdfast_meta")) == 1);

                    assertThat(locks.lock("unrelated").tryAcquire())
                            .as(database.name())
                            .isPresent();
                    operator.rollback();
                    blocked.get(30, TimeUnit.SECONDS);
                    raised.get(30, TimeUnit.SECONDS);
                }
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static void lockRow(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT * FROM holdfast_lock WHERE name = ? FOR UPDATE")) {
            statement.setString(1, name);
            statement.executeQuery().close();
        }
    }
}
