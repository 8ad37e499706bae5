package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scripts in the jar are migrations that Flyway and Liquibase run as they are; what they make is what is needed. */
final class MigrationsTest {
    private static final String SCRIPTS = "dev/holdfast/jdbc/sql/";

    private static final DialectServers SERVERS = new DialectServers();

    @ParameterizedTest
    @EnumSource
    void flywayMakesTheTables(Dialect dialect) throws InterruptedException {
        String prefix = "fly_";
        Flyway flyway = Flyway.configure()
                .dataSource(SERVERS.url(dialect), null, null)
                .locations(location(dialect, Strategy.LEASE), location(dialect, Strategy.ROW))
                .placeholders(Map.of("prefix", prefix))
                .baselineOnMigrate(true)
                .load();

        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(2);
        assertThat(flyway.migrate().migrationsExecuted).isZero();
        assertThatLocksWork(dialect, Strategy.LEASE, prefix);
        assertThatLocksWork(dialect, Strategy.ROW, prefix);
    }

    private static String location(Dialect dialect, Strategy strategy) {
        return "classpath:" + SCRIPTS + tables(strategy) + "/" + directory(dialect);
    }

    @ParameterizedTest
    @EnumSource
    void liquibaseMakesTheTables(Dialect dialect) throws SQLException, LiquibaseException, InterruptedException {
        for (Strategy strategy : new Strategy[] {Strategy.LEASE, Strategy.ROW}) {
            String prefix = "liqui_" + tables(strategy) + "_";
            for (int i = 0; i < 2; i++) {
                try (Connection connection = SERVERS.connect(dialect);
                        Liquibase liquibase = new Liquibase(
                                SCRIPTS + "liquibase-" + tables(strategy) + ".xml",
                                new ClassLoaderResourceAccessor(),
                                DatabaseFactory.getInstance()
                                        .findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
                    liquibase.setChangeLogParameter("prefix", prefix);
                    liquibase.update("");
                }
            }
            assertThatLocksWork(dialect, strategy, prefix);
        }
    }

    private static void assertThatLocksWork(Dialect dialect, Strategy strategy, String prefix)
            throws InterruptedException {
        try (HikariDataSource pool = new HikariDataSource();
                TestContext context = new TestContext()) {
            pool.setJdbcUrl(SERVERS.url(dialect));
            try (LockStore store = JdbcStore.on(pool)
                    .withStrategy(strategy)
                    .withPrefix(prefix)
                    .withSchema(SchemaMode.VALIDATE)
                    .open(context.context())) {
                assertThat(store.tryAcquire(TestContext.claim(Duration.ofSeconds(30), "a", "b")))
                        .isInstanceOf(AcquireOutcome.Granted.class);
            }
        }
    }

    private static String tables(Strategy strategy) {
        return strategy == Strategy.LEASE ? "lease" : "session";
    }

    private static String directory(Dialect dialect) {
        return dialect.isMySqlFamily() ? "mysql" : dialect.name().toLowerCase(Locale.ROOT);
    }
}
