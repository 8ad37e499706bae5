package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.JdbcStore;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Which store an application gets, with real servers and without any Holdfast property wherever that is the point. */
@ExtendWith(OutputCaptureExtension.class)
class StoreChoiceTest {
    private static final String PASSWORD = "ein Geheimnis/ä@#%";

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;
    private static RedisNode lockedRedis;

    @BeforeAll
    static void startRedis() throws InterruptedException {
        redis = RedisNode.start(rig);
        lockedRedis = RedisNode.start(rig, RedisSettings.defaults().withPassword(PASSWORD));
    }

    @Test
    void urlIsEnough(CapturedOutput output) {
        Apps.inMemory().run(context -> {
            assertThat(context).hasSingleBean(Holdfast.class);
            works(context.getBean(Holdfast.class));
            assertThat(output)
                    .containsOnlyOnce("Locks are kept at the property 'holdfast.url'")
                    .doesNotContain("not eligible");
        });
    }

    @Test
    void databaseOfTheApplicationIsUsed(CapturedOutput output) throws InterruptedException {
        DatabaseServer postgres = Postgres.start(rig);
        Apps.withDatabase(
                        Apps.bare(),
                        postgres.jdbcUrl(),
                        "spring.datasource.username=" + postgres.user(),
                        "spring.datasource.password=" + postgres.password())
                .run(context -> {
                    try (Lease lease = works(context.getBean(Holdfast.class));
                            Holdfast other = Holdfast.builder()
                                    .store(JdbcStore.on(context.getBean(DataSource.class)))
                                    .build()) {
                        assertThat(other.lock("orders").tryAcquire()).isEmpty();
                        assertThat(lease.isHeld()).isTrue();
                    }
                    assertThat(output).containsOnlyOnce("Locks are kept at the DataSource 'dataSource'");
                });
    }

    @Test
    void redisOfTheApplicationIsUsedThroughLettuce(CapturedOutput output) {
        Apps.withRedis(Apps.bare(), redis.port()).run(context -> {
            heldAt(redis.url(), context.getBean(Holdfast.class));
            assertThat(output)
                    .containsOnlyOnce("Locks are kept at the RedisConnectionFactory 'redisConnectionFactory'");
        });
    }

    @Test
    void redisOfTheApplicationIsUsedThroughJedisWithItsPasswordAndDatabase() {
        Apps.withRedis(
                        Apps.bare(),
                        lockedRedis.port(),
                        "spring.data.redis.client-type=jedis",
                        "spring.data.redis.password=" + PASSWORD,
                        "spring.data.redis.database=3")
                .run(context -> {
                    try (Lease lease = works(context.getBean(Holdfast.class))) {
                        assertThat(lease.isHeld()).isTrue();
                        assertThat(String.valueOf(lockedRedis.ask("INFO", "keyspace")))
                                .contains("db3:")
                                .doesNotContain("db0:");
                    }
                });
    }

    @Test
    void wrongPasswordIsToldWithoutThePassword() {
        Apps.withRedis(Apps.bare(), lockedRedis.port(), "spring.data.redis.password=not it")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .satisfies(cause ->
                                assertThat(String.valueOf(cause.getMessage())).doesNotContain("not it")));
        Apps.withRedis(Apps.bare(), lockedRedis.port(), "spring.data.redis.password=not it")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(StoreMisconfiguredException.class.getName()));
    }

    @Test
    void curatorOfTheApplicationIsUsed(CapturedOutput output) throws InterruptedException {
        ZooKeeperNode zookeeper = ZooKeeperNode.start(rig);
        Apps.bare()
                .withBean(
                        "curator",
                        CuratorFramework.class,
                        () -> CuratorFrameworkFactory.newClient(zookeeper.address(), new RetryOneTime(100)))
                .run(context -> {
                    heldAt("zookeeper://" + zookeeper.address(), context.getBean(Holdfast.class));
                    assertThat(output).containsOnlyOnce("Locks are kept at the CuratorFramework 'curator'");
                });
    }

    @Test
    void storeOfTheApplicationsOwnIsUsed() {
        Apps.bare().withUserConfiguration(OwnStore.class).run(context -> works(context.getBean(Holdfast.class)));
    }

    @Test
    void urlComesBeforeStoreFactoryBeforeDatabaseBeforeRedis(CapturedOutput output) {
        ApplicationContextRunner both = Apps.withDatabase(Apps.withRedis(Apps.bare(), redis.port()), h2("order"));
        both.run(context -> assertThat(output).containsOnlyOnce("Locks are kept at the DataSource"));
        both.withUserConfiguration(OwnStore.class)
                .run(context -> assertThat(output).containsOnlyOnce("Locks are kept at the StoreFactory 'ownStore'"));
        both.withUserConfiguration(OwnStore.class)
                .withPropertyValues("holdfast.url=" + redis.url())
                .run(context -> assertThat(output).containsOnlyOnce("Locks are kept at the property 'holdfast.url'"));
        both.withClassLoader(new FilteredClassLoader("dev.holdfast.jdbc"))
                .run(context -> assertThat(output).containsOnlyOnce("Locks are kept at the RedisConnectionFactory"));
        both.withPropertyValues("holdfast.bean=redisConnectionFactory")
                .run(context -> heldAt(redis.url(), context.getBean(Holdfast.class)));
    }

    @Test
    void nothingFoundIsAFailureAndNoLockInMemory() {
        Apps.bare().run(context -> {
            HoldfastStartupException problem = Apps.problem(context.getStartupFailure());
            assertThat(problem.problem())
                    .contains("there is no store for locks", "holdfast-jdbc, holdfast-redis, holdfast-zookeeper");
            assertThat(problem.action()).contains("set 'holdfast.url'");
        });
    }

    @Test
    void databaseWithoutItsModuleIsAFailureThatNamesTheModule() {
        Apps.withDatabase(Apps.bare(), h2("alone"))
                .withClassLoader(new FilteredClassLoader("dev.holdfast.jdbc"))
                .run(context -> assertThat(
                                Apps.problem(context.getStartupFailure()).problem())
                        .contains("the DataSource 'dataSource' would do with dev.holdfast:holdfast-jdbc"));
    }

    @Test
    void severalDatabasesAreAmbiguousUntilOneIsNamedOrPrimary(CapturedOutput output) {
        Apps.bare()
                .withUserConfiguration(TwoDatabases.class)
                .run(context -> assertThat(Apps.problem(context.getStartupFailure()))
                        .hasMessageContaining("several beans of the type DataSource")
                        .hasMessageContaining("orders, archive")
                        .hasMessageContaining("holdfast.bean"));
        Apps.bare()
                .withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("holdfast.bean=archive")
                .run(context -> assertThat(output).containsOnlyOnce("Locks are kept at the DataSource 'archive'"));
        Apps.bare()
                .withUserConfiguration(PrimaryDatabase.class)
                .run(context -> assertThat(output).containsOnlyOnce("Locks are kept at the DataSource 'main'"));
    }

    @Test
    void wrongNameOfABeanIsAFailure() {
        Apps.bare()
                .withPropertyValues("holdfast.bean=nobody")
                .run(context -> assertThat(
                                Apps.problem(context.getStartupFailure()).problem())
                        .contains("there is no bean 'nobody'"));
        Apps.bare()
                .withPropertyValues("holdfast.bean=text")
                .withBean("text", String.class, () -> "no store")
                .run(context -> assertThat(
                                Apps.problem(context.getStartupFailure()).problem())
                        .contains("is not a DataSource, RedisConnectionFactory, CuratorFramework or StoreFactory"));
    }

    @Test
    void optionsReachADatabaseAndUnknownOnesAreFailures() {
        Apps.withDatabase(Apps.bare(), h2("options"), "holdfast.options.prefix=shop_", "holdfast.options.connections=2")
                .run(context -> {
                    works(context.getBean(Holdfast.class));
                    try (var connection = context.getBean(DataSource.class).getConnection();
                            var tables = connection.getMetaData().getTables(null, null, "SHOP_%", null)) {
                        assertThat(tables.next()).isTrue();
                    }
                });
        Apps.withDatabase(Apps.bare(), h2("options"), "holdfast.options.colour=red")
                .run(context -> assertThat(Apps.problem(context.getStartupFailure()))
                        .hasMessageContaining("'holdfast.options.colour' is set, but a DataSource has no such option")
                        .hasMessageContaining(
                                "cluster, connections, generation, notifications, prefix, schema, strategy"));
        Apps.withDatabase(Apps.bare(), h2("options"), "holdfast.options.strategy=best")
                .run(context -> assertThat(Apps.problem(context.getStartupFailure()))
                        .hasMessageContaining("[lease, row, advisory]"));
    }

    @Test
    void databaseInMemoryIsWarnedOf(CapturedOutput output) {
        Apps.withDatabase(Apps.bare(), h2("warned"))
                .run(context -> assertThat(output).contains("other processes do not see them"));
    }

    @Test
    void clientOfTheApplicationsOwnIsLeftAlone() {
        try (Holdfast own = Holdfast.connect("memory:")) {
            Apps.bare()
                    .withBean(Holdfast.class, () -> own)
                    .run(context -> assertThat(context.getBean(Holdfast.class)).isSameAs(own));
        }
    }

    @Test
    void switchedOffThereIsNothing() {
        Apps.bare()
                .withPropertyValues("holdfast.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Holdfast.class));
    }

    private static String h2(String name) {
        return "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
    }

    private static Lease works(Holdfast locks) {
        Optional<Lease> lease = locks.lock("orders").tryAcquire();
        assertThat(lease).isPresent();
        return lease.get();
    }

    /** The application's lock is seen by a client that was told the address. */
    private static void heldAt(String url, Holdfast locks) {
        try (Lease lease = works(locks);
                Holdfast other = Holdfast.connect(url)) {
            assertThat(other.lock("orders").tryAcquire()).isEmpty();
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {
        @Bean
        StoreFactory ownStore() {
            JdbcDataSource pool = new JdbcDataSource();
            pool.setURL(h2("own"));
            return JdbcStore.on(pool);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {
        @Bean
        DataSource orders() {
            return database("orders");
        }

        @Bean
        DataSource archive() {
            return database("archive");
        }

        static DataSource database(String name) {
            JdbcDataSource source = new JdbcDataSource();
            source.setURL(h2(name));
            return source;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryDatabase {
        @Bean
        @Primary
        DataSource main() {
            return TwoDatabases.database("main");
        }

        @Bean
        DataSource side() {
            return TwoDatabases.database("side");
        }
    }
}
