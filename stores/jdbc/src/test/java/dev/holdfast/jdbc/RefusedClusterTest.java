package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of a server that says that it is a node of Galera; from the URL or the pool to the refusal. */
final class RefusedClusterTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final RealDatabase.Servers SERVERS = new RealDatabase.Servers(RIG);
    private static final RealDatabase MARIADB = RealDatabase.MARIADB_COUNTING_MATCHES;
    private static final Driver DRIVER = new PretendedGalera();

    @BeforeAll
    static void register() throws SQLException {
        DriverManager.registerDriver(DRIVER);
    }

    @AfterAll
    static void forget() throws SQLException {
        DriverManager.deregisterDriver(DRIVER);
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedByNameAndWithTheReason(Strategy strategy) throws InterruptedException {
        String url = url() + "#strategy=" + strategy.name().toLowerCase(Locale.ROOT);
        assertThatThrownBy(() -> Holdfast.connect(url))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("a Galera cluster, where several nodes take writes")
                .hasMessageContaining("cluster=allow");
        JdbcStore store = JdbcStore.on(pool()).withStrategy(strategy);
        assertThatThrownBy(() -> Holdfast.builder().store(store).build())
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("Galera");
    }

    @ParameterizedTest
    @EnumSource
    void whoKnowsBetterIsServed(Strategy strategy) throws InterruptedException {
        String url = url() + "#cluster=allow&strategy=" + strategy.name().toLowerCase(Locale.ROOT);
        try (Holdfast locks = Holdfast.connect(url);
                Holdfast others = Holdfast.builder()
                        .store(JdbcStore.on(pool()).withStrategy(strategy).withAnyCluster(true))
                        .build();
                Lease lease = locks.lock("allowed").acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(others.lock("allowed").tryAcquire()).isEmpty();
        }
    }

    @Test
    void lockInATransactionIsRefusedToo() throws SQLException, InterruptedException {
        JdbcStore store = JdbcStore.on(pool()).withStrategy(Strategy.ROW);
        try (Connection mine = PretendedGalera.of(SERVERS.access(MARIADB).connect())) {
            mine.setAutoCommit(false);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> store.onConnection(mine))
                        .isInstanceOf(StoreMisconfiguredException.class)
                        .hasMessageContaining("Galera");
            }
            store.withAnyCluster(true).onConnection(mine).lock("allowed here");
            assertThatThrownBy(() -> store.onConnection(mine)).isInstanceOf(StoreMisconfiguredException.class);
            mine.rollback();
        }
    }

    /** To ask what it is must not spoil the caller's transaction. */
    @Test
    void oneServerIsTakenWithinATransaction() throws SQLException, InterruptedException {
        for (RealDatabase database : RealDatabase.values()) {
            RawPool pool = SERVERS.pool(database);
            try (Connection mine = pool.getConnection()) {
                mine.setAutoCommit(false);
                JdbcStore.on(pool).withStrategy(Strategy.ROW).onConnection(mine).lock("alone");
                assertThat(JdbcStore.on(pool)
                                .withStrategy(Strategy.ROW)
                                .onConnection(mine)
                                .tryLock("alone too"))
                        .isTrue();
                mine.rollback();
                mine.setAutoCommit(true);
            }
        }
    }

    private static String url() throws InterruptedException {
        return PretendedGalera.PREFIX
                + SERVERS.access(MARIADB).jdbcUrlWithCredentials().substring("jdbc:".length());
    }

    private static DataSource pool() throws InterruptedException {
        return PretendedGalera.of(SERVERS.pool(MARIADB));
    }
}
