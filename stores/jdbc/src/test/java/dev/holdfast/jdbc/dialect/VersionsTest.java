package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.DialectServers;
import dev.holdfast.jdbc.JdbcStore;
import dev.holdfast.jdbc.Strategy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What servers say of their version; those that the SQL does not work on are refused by name. */
final class VersionsTest {
    private static final DialectServers SERVERS = new DialectServers();

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 11.22 (Debian 11.22-1.pgdg120+1), PostgreSQL 11.22, 12",
        "POSTGRESQL, 9.6.24, PostgreSQL 9.6.24, 12",
        "MARIADB, 10.5.29-MariaDB-log, MariaDB 10.5.29, 10.6",
        "MARIADB, 5.5.5-10.4.34-MariaDB-1:10.4.34+maria~ubu2004, MariaDB 10.4.34, 10.6",
        "MARIADB, 5.5.68-MariaDB, MariaDB 5.5.68, 10.6",
        "MYSQL, 5.7.44-log, MySQL 5.7.44, 8.0.1",
        "MYSQL, 8.0.0-dmr, MySQL 8.0.0, 8.0.1",
        "H2, 2.1.214 (2022-06-13), H2 2.1.214, 2.2.220",
        "H2, 1.4.200 (2019-10-14), H2 1.4.200, 2.2.220",
    })
    void oldServersAreRefusedWithTheirVersionAndTheNeed(Dialect dialect, String version, String named, String need) {
        assertThat(Versions.reasonAgainst(dialect, version))
                .hasValueSatisfying(reason ->
                        assertThat(reason).startsWith(named).contains("Holdfast needs " + need + " or later, for "));
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 12.0",
        "POSTGRESQL, 12devel",
        "POSTGRESQL, 18.1 (Debian 18.1-1.pgdg13+2)",
        "POSTGRESQL, 100.2",
        "MARIADB, 10.6.0-MariaDB",
        "MARIADB, 5.5.5-10.6.22-MariaDB-log",
        "MARIADB, 10.11.14-MariaDB-0+deb12u2",
        "MARIADB, 11.8.3-MariaDB-0+deb13u1",
        "MARIADB, 10.6.18-14-MariaDB-enterprise-log",
        "MYSQL, 8.0.1-dmr",
        "MYSQL, 8.0.43",
        "MYSQL, 8.0.mysql_aurora.3.08.0",
        "MYSQL, 8.4.6",
        "MYSQL, 9.4.0-commercial",
        "H2, 2.2.220 (2023-07-04)",
        "H2, 2.5.252 (2026-01-01)",
        "POSTGRESQL, 99999999999999999999.1",
    })
    void newServersAreTaken(Dialect dialect, String version) {
        assertThat(Versions.reasonAgainst(dialect, version)).isEmpty();
    }

    @Test
    void whoeverDoesNotTellItsVersionIsTaken() {
        for (String version : new String[] {"", "unknown", "v8", "MariaDB"}) {
            assertThat(Versions.reasonAgainst(Dialect.MARIADB, version)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void serverThatTheTestsRunOnTellsAVersionThatIsRead(Dialect dialect) throws SQLException, InterruptedException {
        try (Connection connection = SERVERS.connect(dialect)) {
            String version = connection.getMetaData().getDatabaseProductVersion();

            assertThat(version).matches("(?s)\\d+\\.\\d+.*");
            Versions.refuseOld(dialect, connection);
        }
    }

    /** Every way to a store, on a real server whose driver says that it is an old one. */
    @Test
    void everyStrategyRefusesAnOldServer() throws SQLException {
        DataSource old = saying("getDatabaseProductVersion", "2.1.214 (2022-06-13)");
        for (Strategy strategy : new Strategy[] {Strategy.LEASE, Strategy.ROW}) {
            JdbcStore store = JdbcStore.on(old).withStrategy(strategy).withAnyCluster(true);
            HoldfastBuilder builder = Holdfast.builder().store(store);

            assertThatThrownBy(builder::build)
                    .as("%s", strategy)
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("H2 2.1.214")
                    .hasMessageContaining("needs 2.2.220 or later");
        }
        try (Connection mine = old.getConnection()) {
            mine.setAutoCommit(false);
            JdbcStore store = JdbcStore.on(old).withStrategy(Strategy.ROW);
            assertThatThrownBy(() -> store.onConnection(mine))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("H2 2.1.214");
        }
    }

    @Test
    void databaseThatIsNotSupportedIsNamed() {
        HoldfastBuilder builder = Holdfast.builder().store(JdbcStore.on(saying("getDatabaseProductName", "Oracle")));

        assertThatThrownBy(builder::build)
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("'Oracle' is not supported; supported are PostgreSQL, MariaDB, MySQL and H2");
    }

    private static DataSource saying(String question, String answer) {
        String url = "jdbc:h2:mem:versions;DB_CLOSE_DELAY=-1";
        return proxy(DataSource.class, (pool, method, arguments) -> switch (method.getName()) {
            case "getConnection" -> saying(DriverManager.getConnection(url), question, answer);
            case "isWrapperFor" -> false;
            default -> throw new SQLException("not asked for here: " + method);
        });
    }

    private static Connection saying(Connection connection, String question, String answer) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        DatabaseMetaData old = proxy(
                DatabaseMetaData.class,
                (proxy, method, arguments) ->
                        method.getName().equals(question) ? answer : call(() -> method.invoke(data, arguments)));
        return proxy(
                Connection.class,
                (proxy, method, arguments) -> method.getName().equals("getMetaData")
                        ? old
                        : call(() -> method.invoke(connection, arguments)));
    }

    private static Object call(Callable<Object> step) throws Throwable {
        try {
            return step.call();
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(VersionsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
