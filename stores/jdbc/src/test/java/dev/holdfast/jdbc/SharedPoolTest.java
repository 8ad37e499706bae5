package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a pool of the user's gets back, and what the store makes of what it is lent. */
final class SharedPoolTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final RealDatabase.Servers SERVERS = new RealDatabase.Servers(RIG);

    @Test
    void connectionsOfEveryStrategyGoBackAsTheyCame() throws InterruptedException, SQLException {
        for (RealDatabase database : List.of(RealDatabase.POSTGRESQL, RealDatabase.MARIADB_COUNTING_CHANGES)) {
            for (Strategy strategy : Strategy.values()) {
                RawPool pool = SERVERS.pool(database, false, Connection.TRANSACTION_REPEATABLE_READ);
                JdbcStore store = JdbcStore.on(pool).withStrategy(strategy).withNotifications(false);
                String names = sessionNames(database, pool);
                try (Holdfast locks = Holdfast.builder().store(store).build();
                        Holdfast others = Holdfast.builder().store(store).build()) {
                    Lease lease = locks.lock("settings").acquire();
                    assertThat(others.lock("settings").tryAcquire()).isEmpty();
                    lease.close();
                    Lease several = locks.all("settings", "more").acquire();
                    assertThat(others.lock("more").tryAcquire()).isEmpty();
                    several.close();
                    assertThat(sessionNames(database, pool)).isEqualTo(names);
                }
                pool.assertUnchanged();
            }
        }
    }

    private static String sessionNames(RealDatabase database, RawPool pool) throws SQLException {
        return database == RealDatabase.POSTGRESQL
                ? RealDatabase.ask(
                        pool,
                        "SELECT string_agg(DISTINCT application_name, ',') FROM pg_stat_activity WHERE datname ="
                                + " current_database()")
                : "";
    }

    @Test
    void whatSomebodyLeftOnAConnectionIsNotCommitted() throws InterruptedException, SQLException {
        for (RealDatabase database : List.of(RealDatabase.H2, RealDatabase.POSTGRESQL)) {
            RawPool pool = SERVERS.pool(database, false, Connection.TRANSACTION_READ_COMMITTED);
            RealDatabase.execute(pool, "CREATE TABLE left_over (id INT)");
            try (Connection careless = pool.getConnection();
                    Statement statement = careless.createStatement()) {
                statement.executeUpdate("INSERT INTO left_over VALUES (1)");
            }
            try (Holdfast locks = Holdfast.builder()
                    .store(JdbcStore.on(pool).withNotifications(false))
                    .build()) {
                locks.lock("left").acquire().close();
            }
            assertThat(RealDatabase.ask(pool, "SELECT count(*) FROM left_over")).isEqualTo("0");
        }
    }

    @Test
    void poolThatWrapsItsFailuresDoesNotHideThem() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:nonesuch;IFEXISTS=TRUE");
            assertThatThrownBy(
                            () -> Holdfast.builder().store(JdbcStore.on(pool)).build())
                    .isInstanceOf(StoreMisconfiguredException.class);
        }
    }

    @Test
    void whoWaitsIsToldThatThePoolWasClosed() throws InterruptedException {
        String url = "jdbc:h2:mem:closed-early;DB_CLOSE_DELAY=-1";
        try (HikariDataSource pool = new HikariDataSource();
                Holdfast rival = Holdfast.connect(url)) {
            pool.setJdbcUrl(url);
            try (Holdfast locks = Holdfast.builder().store(JdbcStore.on(pool)).build();
                    Lease held = rival.lock("waited-for").acquire()) {
                assertThat(locks.lock("waited-for").tryAcquire()).isEmpty();
                CompletableFuture<Lease> waiting = locks.lock("waited-for").acquireAsync();
                pool.close();

                Awaitility.await().atMost(Duration.ofSeconds(30)).until(waiting::isDone);
                assertThatThrownBy(waiting::join)
                        .isInstanceOf(CompletionException.class)
                        .cause()
                        .isInstanceOf(StoreMisconfiguredException.class)
                        .hasMessageContaining("closed before Holdfast");
                assertThat(held.isHeld()).isTrue();
            }
        }
    }
}
