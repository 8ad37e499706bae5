package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.tls.Certificates;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/** Settings of other clients, on servers that want an ACL user and a client's certificate over TLS. */
final class TakenSettingsTest {
    private static final String PASSWORD = Secrets.CANARY;
    private static final String USER = "locks";

    @RegisterExtension
    static final Rig rig = new Rig();

    private static Certificates certificates;
    private static List<RedisNode> nodes;
    private static ClientOptions lettuce;

    @BeforeAll
    static void start() throws InterruptedException, IOException {
        certificates = Certificates.forLocalhost(rig);
        nodes = RedisNode.startSeveral(
                rig,
                3,
                RedisSettings.defaults()
                        .withPassword(PASSWORD)
                        .withTls(certificates)
                        .withLines("tls-auth-clients yes")
                        .withUsers(
                                "user default on >" + PASSWORD + " ~* &* +@all",
                                "user locks on >" + PASSWORD + " " + AccessTest.documentedAcl() + " +select"));
        lettuce = ClientOptions.builder()
                .sslOptions(SslOptions.builder()
                        .jdkSslProvider()
                        .trustManager(certificates.authorityFile().toFile())
                        .keyManager(
                                certificates.certificateFile().toFile(),
                                certificates.keyFile().toFile(),
                                new char[0])
                        .build())
                .build();
    }

    @Test
    void filesOfAUrl() throws InterruptedException {
        use(RedisStores.at(url(2))
                .withOption("cert", certificates.certificateFile().toString())
                .withOption("key", certificates.keyFile().toString())
                .withOption("ca", certificates.authorityFile().toString()));
        try (Holdfast byUrl = Holdfast.connect(url(2) + "#ca=" + certificates.authorityFile() + "&cert="
                + certificates.certificateFile() + "&key=" + certificates.keyFile())) {
            assertThat(byUrl.lock("url").acquire().release()).isTrue();
        }
    }

    @Test
    void clientWithoutACertificateIsRefused() {
        assertThatThrownBy(() -> Holdfast.connect(url(2) + "#ca=" + certificates.authorityFile()))
                .isInstanceOf(HoldfastException.class)
                .hasStackTraceContaining("ertificate")
                .satisfies(refused -> assertThat(refused.toString()).doesNotContain(PASSWORD));
        assertThatThrownBy(() -> Holdfast.connect(url(2) + "#cert=only"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("'key'");
    }

    @Test
    void contextOfJava() throws InterruptedException {
        use(RedisStores.at("rediss://localhost:" + nodes.get(0).port() + "/2")
                .withCredentials(() -> Credentials.of(USER, PASSWORD))
                .withTls(certificates.clientContext()));
    }

    @Test
    void clientOfLettuce() throws InterruptedException {
        RedisClient client = RedisClient.create(uri(nodes.get(0)));
        try {
            client.setOptions(lettuce);
            use(RedisStores.fromLettuce(client));
            use(RedisStores.fromLettuce(uri(nodes.get(0)), lettuce).withOption("prefix", "holdfast:own"));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void clientOfLettuceWithoutAnAddressIsRefused() {
        RedisClient client = RedisClient.create();
        try {
            assertThatThrownBy(() -> RedisStores.fromLettuce(client))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("RedisURI");
        } finally {
            client.shutdown();
        }
    }

    @Test
    void factoryOfSpring() throws InterruptedException {
        RedisStandaloneConfiguration server =
                new RedisStandaloneConfiguration("localhost", nodes.get(0).port());
        server.setUsername(USER);
        server.setPassword(PASSWORD);
        server.setDatabase(2);
        use(RedisStores.fromSpring(new LettuceConnectionFactory(
                server,
                LettuceClientConfiguration.builder()
                        .clientOptions(lettuce)
                        .useSsl()
                        .build())));
    }

    @Test
    void whatCannotBeTakenOverIsRefused() {
        assertThatThrownBy(() -> RedisStores.fromSpring(
                        new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("elsewhere"))))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("Sentinel and Cluster");
        assertThatThrownBy(() -> RedisStores.at("redis://one").withOption("nonesuch", "x"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("nonesuch");
    }

    @Test
    void quorumOfNodesWithSettingsOfTheirOwn() throws InterruptedException {
        List<RedisConnections> quorum = List.of(
                RedisStores.fromLettuce(uri(nodes.get(0)), lettuce),
                RedisStores.fromJedis(new HostAndPort("localhost", nodes.get(1).port()), jedis()),
                RedisStores.at("rediss://localhost:" + nodes.get(2).port() + "/2")
                        .withCredentials(() -> Credentials.of(USER, PASSWORD))
                        .withTls(certificates.clientContext()));
        Map<String, String> options = Map.of("fresh", "true", "nodeTimeout", "2s", "prefix", "holdfast:quorum");
        try (Holdfast locks = Holdfast.builder()
                        .store(RedisStores.redlock(quorum, options))
                        .build();
                Holdfast others = Holdfast.builder()
                        .store(RedisStores.redlock(quorum, options))
                        .build()) {
            Lease lease = locks.lock("quorum").acquire();
            assertThat(others.lock("quorum").tryAcquire()).isEmpty();
            assertThat(lease.release()).isTrue();
            assertThat(locks.traits().toString()).contains("2 of 3 nodes");
        }
        assertThatThrownBy(() -> Holdfast.builder()
                        .store(RedisStores.redlock(quorum.subList(0, 2), options))
                        .build())
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("from 3");
        assertThat(Stream.concat(quorum.stream(), Stream.of(RedisStores.at(url(2)))))
                .noneMatch(each -> each.toString().contains(PASSWORD));
    }

    private static JedisClientConfig jedis() {
        return DefaultJedisClientConfig.builder()
                .user(USER)
                .password(PASSWORD)
                .database(2)
                .sslOptions(redis.clients.jedis.SslOptions.builder()
                        .truststore(certificates.trustStore().toFile(), Certificates.TRUST_STORE_PASSWORD.toCharArray())
                        .trustStoreType("PKCS12")
                        .keystore(certificates.keyStore().toFile(), Certificates.TRUST_STORE_PASSWORD.toCharArray())
                        .keyStoreType("PKCS12")
                        .build())
                .build();
    }

    private static RedisURI uri(RedisNode node) {
        return RedisURI.builder()
                .withHost("localhost")
                .withPort(node.port())
                .withSsl(true)
                .withDatabase(2)
                .withAuthentication(USER, PASSWORD)
                .build();
    }

    private static String url(int database) {
        return "rediss://" + USER + ":" + PASSWORD + "@localhost:"
                + nodes.get(0).port() + "/" + database;
    }

    private static void use(StoreFactory factory) throws InterruptedException {
        try (Holdfast locks = Holdfast.builder().store(factory).build()) {
            assertThat(locks.lock("taken").acquire().release()).isTrue();
            assertThat(String.valueOf(nodes.get(0).ask("CLIENT", "LIST")))
                    .as("the user, the database and the name of our connections")
                    .contains("user=" + USER)
                    .contains("db=2");
        }
    }
}
