package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.tls.Certificates;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Redis as an application has it in production, told in the properties of Spring Boot only. */
class RedisTopologyTest {
    private static final String PASSWORD = "Geheimnis/ä@#%";

    @RegisterExtension
    static final Rig rig = new Rig();

    private static Certificates certificates;
    private static RedisSentinels group;

    @BeforeAll
    static void startGroup() throws InterruptedException {
        certificates = Certificates.forLocalhost(rig);
        group = RedisSentinels.start(
                rig, RedisSettings.defaults().withPassword(PASSWORD).withTls(certificates));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void mastersOfSentinelsAreUsedOverTls(String client) {
        throughSentinels(client).run(context -> heldAt(group.url(), context.getBean(Holdfast.class)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void oneServerIsUsedOverTls(String client) {
        encrypted(client)
                .withPropertyValues("spring.data.redis.port=" + group.master().port(), "spring.data.redis.database=2")
                .run(context -> heldAt(group.master().url() + "/2", context.getBean(Holdfast.class)));
    }

    @Test
    void optionOfHoldfastWinsOverTheApplicationsAuthorities() throws InterruptedException {
        Certificates others = Certificates.forLocalhost(rig);
        encrypted("lettuce")
                .withPropertyValues(
                        "spring.data.redis.port=" + group.master().port(),
                        "holdfast.options.ca=" + others.authorityFile())
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("PKIX path")
                        .satisfies(failure -> assertThat(failure.toString()).doesNotContain(PASSWORD)));
    }

    @Test
    void sentinelsHaveCredentialsOfTheirOwn() {
        throughSentinels("lettuce")
                .withPropertyValues("spring.data.redis.sentinel.password=other")
                .run(context -> assertThat(context)
                        .getFailure()
                        .as("these sentinels have no password, so they do not take one")
                        .hasStackTraceContaining("Redis refused the user or password"));
    }

    @Test
    @Tag("full")
    void clusterIsUsed() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(
                rig, RedisSettings.defaults().withPassword(PASSWORD).withTls(certificates));
        encrypted("lettuce")
                .withPropertyValues("spring.data.redis.cluster.nodes=" + addresses(cluster.nodes()))
                .run(context -> heldAt(cluster.url(), context.getBean(Holdfast.class)));
    }

    private static ApplicationContextRunner throughSentinels(String client) {
        return encrypted(client)
                .withPropertyValues(
                        "spring.data.redis.sentinel.master=" + group.masterName(),
                        "spring.data.redis.sentinel.nodes=" + addresses(group.sentinels()));
    }

    private static ApplicationContextRunner encrypted(String client) {
        return Apps.withRedis(
                Apps.bare().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class)),
                1,
                "spring.data.redis.client-type=" + client,
                "spring.data.redis.password=" + PASSWORD,
                // Jedis asks the sentinels when the application starts.
                "spring.data.redis.ssl.bundle=own",
                "spring.ssl.bundle.pem.own.truststore.certificate=file:" + certificates.authorityFile());
    }

    private static String addresses(List<RedisNode> nodes) {
        return nodes.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","));
    }

    /** The application's lock is seen by a client that was told the address. */
    private static void heldAt(String url, Holdfast locks) {
        try (Lease lease = locks.lock("orders").tryAcquire().orElseThrow();
                Holdfast other = Holdfast.builder()
                        .url(url)
                        .option("ca", certificates.authorityFile().toString())
                        .build()) {
            assertThat(other.lock("orders").tryAcquire()).isEmpty();
            assertThat(lease.isHeld()).isTrue();
        }
    }
}
