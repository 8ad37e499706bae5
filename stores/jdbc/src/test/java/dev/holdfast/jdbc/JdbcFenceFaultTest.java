package dev.holdfast.jdbc;

import static dev.holdfast.jdbc.RealDatabase.ask;
import static dev.holdfast.jdbc.RealDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong between a fenced or optimistic write and its database. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB_COUNTING_MATCHES", "MYSQL_COUNTING_CHANGES"})
final class JdbcFenceFaultTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    static final RealDatabase.Servers servers = new RealDatabase.Servers(rig);

    private static final Pattern COMMIT = Pattern.compile("\\bCOMMIT\\b", Pattern.CASE_INSENSITIVE);

    @Parameter
    RealDatabase database;

    private final Holdfast locks = Holdfast.connect("memory:");
    private final List<JdbcFence> fences = List.of(
            JdbcFence.column("account/1", "account", "id", 1, "fence"),
            JdbcFence.sideTable("account/1", new FenceTable("fence_of_accounts")));
    private RawPool pool;
    private RawPool remote;
    private FaultProxy network;

    @BeforeEach
    void prepare() throws InterruptedException, SQLException {
        pool = servers.ownPool(database);
        network = FaultProxy.before(rig, servers.server(database).port());
        remote = servers.ownPoolThrough(database, network.port());
        execute(pool, "DROP TABLE IF EXISTS account");
        execute(pool, "DROP TABLE IF EXISTS fence_of_accounts");
        execute(pool, "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, version INT, fence BIGINT)");
        execute(pool, "INSERT INTO account VALUES (1, 100, 0, 0)");
        new FenceTable("fence_of_accounts").create(pool);
    }

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void aLostReplyToTheCommitLeavesTheOutcomeOpen() throws InterruptedException, SQLException {
        int expected = 100;
        for (JdbcFence fence : fences) {
            try (Lease lease = locks.lock("account/1").acquire()) {
                network.dropReplies(1, JdbcFenceFaultTest::isCommit);
                assertThatThrownBy(() -> fence.run(remote, lease, this::withdraw))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("account/1");
                expected -= 1;
                assertThat(ask(pool, "SELECT balance FROM account")).isEqualTo(Integer.toString(expected));
            }
        }
        assertThat(remote.aborted()).isEqualTo(2);
        remote.assertUnchanged();
    }

    @Test
    void aLostReplyToAnOptimisticCommitIsNotTriedAgain() throws SQLException {
        OptimisticTable accounts = OptimisticTable.byVersion("account", "id", "version");
        network.dropReplies(1, JdbcFenceFaultTest::isCommit);
        assertThatThrownBy(() -> accounts.update(remote, 1, row -> Map.of("balance", row.number("balance") - 1)))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(ask(pool, "SELECT balance FROM account")).isEqualTo("99");
    }

    @Test
    void aConnectionCutWithinTheWorkChangesNothing() throws InterruptedException, SQLException {
        for (JdbcFence fence : fences) {
            try (Lease lease = locks.lock("account/1").acquire()) {
                assertThatThrownBy(() -> fence.run(remote, lease, connection -> {
                            withdraw(connection);
                            network.reset();
                            withdraw(connection);
                        }))
                        .isInstanceOf(SQLException.class);
                fence.run(
                        remote,
                        lease,
                        connection -> assertThat(ask(connection, "SELECT balance FROM account"))
                                .isEqualTo("100"));
            }
        }
        remote.assertUnchanged();
    }

    @Test
    void aTokenThatWasRaisedSurvivesAKillOfTheServer() throws InterruptedException, SQLException {
        for (JdbcFence fence : fences) {
            Lease stale = locks.lock("account/1").acquire();
            fence.run(pool, stale, this::withdraw);
            locks.evict("account/1", "test");
            try (Lease successor = locks.lock("account/1").acquire()) {
                fence.run(pool, successor, connection -> {});
                servers.server(database).kill();
                assertThatThrownBy(() -> fence.run(pool, successor, this::withdraw))
                        .isInstanceOf(SQLException.class);
                servers.server(database).start();
                assertThatThrownBy(() -> fence.run(servers.ownPool(database), stale, this::withdraw))
                        .isInstanceOf(StaleTokenException.class);
                pool = servers.ownPool(database);
                fence.run(pool, successor, this::withdraw);
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account")).isEqualTo("96");
    }

    /** A driver may send the text with the first commit of a connection only; neither is "autocommit" one. */
    private static boolean isCommit(String request) {
        return COMMIT.matcher(request).find();
    }

    private void withdraw(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE account SET balance = balance - 1 WHERE id = 1");
        }
    }
}
