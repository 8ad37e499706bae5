package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.PoolSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** How the store treats what it is given. */
final class StoreMannersTest {
    private static final DialectServers SERVERS = new DialectServers();

    private static RawPool pool() {
        return new RawPool(
                "jdbc:h2:mem:manners;DB_CLOSE_DELAY=-1", "sa", "", true, Connection.TRANSACTION_READ_COMMITTED);
    }

    @Test
    void proxyThatJoinsTheCallersTransactionIsRefused() {
        assertThatThrownBy(() -> JdbcStore.on(new TransactionAwareDataSourceProxy(pool())))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("TransactionAwareDataSourceProxy");
    }

    @Test
    void lazyClientDoesNotConnect() {
        RawPool counted = pool();
        for (Strategy strategy : Strategy.values()) {
            Holdfast.builder()
                    .store(JdbcStore.on(counted).withStrategy(strategy))
                    .lazy(true)
                    .build()
                    .close();
        }
        assertThat(counted.opened()).isZero();
    }

    @Test
    void exceptionOfOurOwnDoesNotEndAConnectionOfThePool() throws SQLException {
        RawPool pool = pool();
        try (Connections connections = new Connections(new PoolSource(pool), 1, Duration.ofSeconds(5))) {
            assertThatThrownBy(() -> connections.with(connection -> {
                        throw new IllegalStateException("ours");
                    }))
                    .hasMessage("ours");
        }
        assertThat(pool.aborted()).isZero();
        pool.assertUnchanged();
    }

    @ParameterizedTest
    @EnumSource
    void reasonOfAnEvictionMayBeOfAnyLength(Dialect dialect) throws InterruptedException {
        for (String strategy : List.of("lease", "row")) {
            try (Holdfast locks = Holdfast.connect(
                            SERVERS.url(dialect) + "#strategy=" + strategy + "&prefix=long_" + strategy + "_");
                    Lease lease = lockOf(locks)) {
                locks.evict("wordy", "why ".repeat(1_000));
                assertThat(locks.inspect("wordy")
                                .orElseThrow()
                                .lastEviction()
                                .orElseThrow()
                                .reason())
                        .hasSize(1_000);
                lease.release();
            }
        }
    }

    private static Lease lockOf(Holdfast locks) throws InterruptedException {
        return locks.lock("wordy").acquire();
    }

    @Test
    void fullDisksAndSpentMemoryOfMySqlMeanUnavailable() {
        for (int code : new int[] {1021, 1037, 1041, 1114, 1135}) {
            assertThat(Faults.kindOf(new SQLException("", "HY000", code)))
                    .as("code %d", code)
                    .isEqualTo(Faults.Kind.UNREACHABLE);
        }
    }

    /** The empty name would be the lock with which the store itself takes turns. */
    @ParameterizedTest
    @EnumSource(names = "LEASE", mode = EnumSource.Mode.EXCLUDE)
    void namesOfLocksInTransactionsFollowTheRuleForNames(Strategy strategy) throws SQLException, InterruptedException {
        try (Connection mine = SERVERS.connect(Dialect.POSTGRESQL)) {
            mine.setAutoCommit(false);
            TransactionLocks locks = JdbcStore.on(pool()).withStrategy(strategy).onConnection(mine);
            for (String name : List.of("", "a\nb", "x".repeat(256), "\u00e4".repeat(128), "\ud800")) {
                assertThatThrownBy(() -> locks.lock(name)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> locks.lockShared(name)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> locks.tryLock(name)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> locks.tryLockShared(name)).isInstanceOf(IllegalArgumentException.class);
            }
            mine.rollback();
        }
    }

    @Test
    void databasesThatAreNotSupportedAreNamed() {
        for (String url : List.of("jdbc:oracle:thin:@h:1521/x", "jdbc:sqlserver://h", "jdbc:db2://h/x")) {
            assertThatThrownBy(() -> Holdfast.connect(url))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("it works with PostgreSQL, MariaDB, MySQL and H2");
        }
    }
}
