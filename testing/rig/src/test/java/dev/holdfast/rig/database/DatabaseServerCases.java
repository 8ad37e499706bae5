package dev.holdfast.rig.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the rig promises of every database server. */
public abstract class DatabaseServerCases {
    @RegisterExtension
    final Rig rig = new Rig();

    private final String version;
    private final String asksForVersion;
    private final String asksForLimit;

    /** Takes what differs between the servers. */
    protected DatabaseServerCases(String version, String asksForVersion, String asksForLimit) {
        this.version = version;
        this.asksForVersion = asksForVersion;
        this.asksForLimit = asksForLimit;
    }

    /** Starts a server of the kind that is tested. */
    protected abstract DatabaseServer start(Rig in, String... options) throws InterruptedException;

    /** Finds or starts one. */
    protected abstract Access given(Rig in) throws InterruptedException;

    @Test
    void answersAfterStart() throws InterruptedException, SQLException {
        DatabaseServer server = start(rig);
        assertThat(ask(server.access(), asksForVersion)).startsWith(version);
        assertThat(DriverManager.getConnection(server.access().jdbcUrlWithCredentials()))
                .satisfies(Connection::close);
    }

    @Test
    void whatWasCommittedSurvivesAKill() throws InterruptedException, SQLException {
        DatabaseServer server = start(rig);
        int port = server.port();
        tell(server, "CREATE TABLE kept (id INT PRIMARY KEY)");
        try (Connection busy = server.connect();
                Statement statement = busy.createStatement()) {
            busy.setAutoCommit(false);
            statement.executeUpdate("INSERT INTO kept VALUES (1)");
            busy.commit();
            statement.executeUpdate("INSERT INTO kept VALUES (2)");
            server.kill();
            assertThat(server.server().isRunning()).isFalse();
            assertThatThrownBy(busy::commit).isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);
        server.start();
        assertThat(server.port()).isEqualTo(port);
        assertThat(ask(server.access(), "SELECT SUM(id) FROM kept")).isEqualTo("1");
    }

    @Test
    void stopCutsClientsAndKeepsData() throws InterruptedException, SQLException {
        DatabaseServer server = start(rig);
        tell(server, "CREATE TABLE kept (id INT PRIMARY KEY)");
        try (Connection idle = server.connect()) {
            server.restart();
            assertThat(idle.isValid(5)).isFalse();
        }
        assertThat(ask(server.access(), "SELECT COUNT(*) FROM kept")).isEqualTo("0");
        server.restartEmpty();
        assertThatThrownBy(() -> ask(server.access(), "SELECT COUNT(*) FROM kept"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void pausedServerIsSilentAndGoesOnLater() throws InterruptedException, SQLException, ExecutionException {
        DatabaseServer server = start(rig);
        try (Connection connection = server.connect()) {
            server.pause();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return ask(connection, "SELECT 42");
                } catch (SQLException failed) {
                    throw new IllegalStateException(failed);
                }
            });
            assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(server.server().isPaused()).isTrue();
            server.resume();
            assertThat(answer.get()).isEqualTo("42");
        }
    }

    @Test
    void pausedServerCanBeKilledAndStartedAgain() throws InterruptedException, SQLException {
        DatabaseServer server = start(rig);
        try (Connection idle = server.connect()) {
            server.pause();
            server.kill();
            assertThat(server.server().isRunning()).isFalse();
            server.start();
            assertThat(ask(server.access(), "SELECT 42")).isEqualTo("42");
            assertThat(idle.isValid(5)).isFalse();
        }
    }

    @Test
    void passwordIsAskedFor() throws InterruptedException {
        DatabaseServer server = start(rig);
        assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl(), server.user(), "wrong"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failed -> assertThat(failed.getSQLState()).startsWith("28"));
    }

    @Test
    void settingsReachTheServer() throws InterruptedException, SQLException {
        DatabaseServer server = start(rig, "max_connections=17");
        assertThat(ask(server.access(), asksForLimit)).isEqualTo("17");
        assertThatThrownBy(() -> start(rig, "--max_connections 17")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void serversKnowNothingOfEachOtherAndCanBeReachedThroughAProxy() throws InterruptedException, SQLException {
        DatabaseServer one = start(rig);
        Access other = given(rig);
        tell(one, "CREATE TABLE only_here (id INT PRIMARY KEY)");
        FaultProxy proxy = FaultProxy.before(rig, one.port());
        assertThat(ask(one.accessThrough(proxy.port()), "SELECT COUNT(*) FROM only_here"))
                .isEqualTo("0");
        assertThatThrownBy(() -> ask(other, "SELECT COUNT(*) FROM only_here")).isInstanceOf(SQLException.class);
    }

    private static void tell(DatabaseServer server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String ask(Access access, String sql) throws SQLException {
        try (Connection connection = access.connect()) {
            return ask(connection, sql);
        }
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(sql)) {
            answer.next();
            return answer.getString(1);
        }
    }
}
