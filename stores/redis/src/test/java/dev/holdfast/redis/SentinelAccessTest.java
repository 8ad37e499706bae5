package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.RedisSentinelClient;

/** Sentinels with credentials of their own, and clients of sentinels that the program already has. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SentinelAccessTest {
    private static final String PASSWORD = Secrets.CANARY;
    private static final String SENTINELS_PASSWORD = Secrets.CANARY + "-sentinels";
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisSentinels group;
    private static int masterPort;

    @BeforeAll
    static void start() throws InterruptedException {
        group = RedisSentinels.start(rig, RedisSettings.defaults().withPassword(PASSWORD));
        masterPort = group.master().port();
    }

    /** They are asked every two seconds. */
    @Test
    @Order(0)
    void connectionsToSentinelsAreKept() throws InterruptedException {
        try (Holdfast locks =
                Holdfast.builder().url(group.url()).clientName("keeps").build()) {
            for (RedisNode sentinel : group.sentinels()) {
                await().until(() -> oldestConnectionOf("keeps", sentinel) >= 5);
            }
            assertThat(locks.lock("kept").acquire().release()).isTrue();
        }
    }

    /** {@return how many seconds it has been open; -1 if there is none} */
    private static int oldestConnectionOf(String client, RedisNode sentinel) {
        return String.valueOf(sentinel.ask("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" name=" + client + " "))
                .map(line -> line.replaceFirst(".* age=([0-9]+) .*", "$1"))
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(-1);
    }

    @Test
    @Order(1)
    void wronglySecuredSentinelDoesNotEndDiscovery() throws InterruptedException {
        secure(group.sentinels().get(0));
        for (int i = 0; i < 5; i++) {
            try (Holdfast locks = Holdfast.connect(group.url())) {
                assertThat(locks.lock("one/of/three").acquire().release()).isTrue();
            }
        }
        secure(group.sentinels().get(1));
        try (Holdfast locks = Holdfast.connect(group.url())) {
            assertThat(locks.lock("two/of/three").acquire().release()).isTrue();
        }
        secure(group.sentinels().get(2));
        assertThatThrownBy(() -> Holdfast.connect(group.url()))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("password")
                .hasMessageNotContaining(PASSWORD);
    }

    @Test
    @Order(2)
    void sentinelsHaveCredentialsOfTheirOwn() throws InterruptedException {
        use(RedisStores.at(group.url()).withOption("sentinelPassword", SENTINELS_PASSWORD));
        use(RedisStores.at(group.url())
                .withOption("sentinelUser", "default")
                .withOption("sentinelPassword", SENTINELS_PASSWORD));
        use(RedisStores.at(group.url()).withSentinelCredentials(() -> Credentials.ofPassword(SENTINELS_PASSWORD)));
        assertThatThrownBy(() -> Holdfast.connect(group.url() + "#sentinelPassword=wrong"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("password");
        assertThatThrownBy(() -> Holdfast.connect(group.url() + "#sentinelLogin=same&sentinelPassword=x"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> Holdfast.connect(group.url() + "#sentinelUser=x"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("sentinelPassword");
    }

    @Test
    @Order(2)
    void settingsOfLettuceAndSpring() throws InterruptedException {
        RedisURI.Builder uri =
                RedisURI.builder().withSentinelMasterId(group.masterName()).withPassword(PASSWORD.toCharArray());
        RedisSentinelConfiguration spring = new RedisSentinelConfiguration().master(group.masterName());
        for (RedisNode sentinel : group.sentinels()) {
            uri.withSentinel(RedisURI.builder()
                    .withHost("127.0.0.1")
                    .withPort(sentinel.port())
                    .withPassword(SENTINELS_PASSWORD.toCharArray())
                    .build());
            spring.sentinel("127.0.0.1", sentinel.port());
        }
        spring.setPassword(PASSWORD);
        spring.setSentinelPassword(SENTINELS_PASSWORD);
        use(RedisStores.fromLettuce(uri.build(), ClientOptions.create()));
        use(RedisStores.fromSpring(new LettuceConnectionFactory(spring)));
    }

    @Test
    @Order(2)
    @SuppressWarnings("deprecation") // Programs that have not moved on have such a pool.
    void clientsThatAreLent() throws InterruptedException {
        Set<HostAndPort> sentinels = group.sentinels().stream()
                .map(each -> new HostAndPort("127.0.0.1", each.port()))
                .collect(Collectors.toCollection(HashSet::new));
        JedisClientConfig servers =
                DefaultJedisClientConfig.builder().password(PASSWORD).build();
        JedisClientConfig apart =
                DefaultJedisClientConfig.builder().password(SENTINELS_PASSWORD).build();
        try (RedisSentinelClient client = RedisSentinelClient.builder()
                        .masterName(group.masterName())
                        .sentinels(sentinels)
                        .clientConfig(servers)
                        .sentinelClientConfig(apart)
                        .build();
                JedisSentinelPool pool = new JedisSentinelPool(group.masterName(), sentinels, servers, apart)) {
            lent(
                    RedisStores.using(client, Map.of("prefix", "lent")),
                    RedisStores.using(pool, Map.of("prefix", "lent")));
            closesWhileTheServerIsSlow(client);
            assertThat(pool.getNumActive()).as("everything was given back").isZero();
            assertThatThrownBy(() -> Holdfast.builder()
                            .store(RedisStores.using(client, Map.of("replicas", "1")))
                            .build())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("replicas");
            assertThatThrownBy(() -> Holdfast.builder()
                            .store(RedisStores.using(pool, Map.of("maxConnections", "1")))
                            .build())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("maxConnections");
            try (Holdfast acknowledged = Holdfast.builder()
                    .store(RedisStores.using(pool, Map.of("replicas", "2")))
                    .build()) {
                assertThat(acknowledged.lock("acknowledged").acquire().release())
                        .isTrue();
            }
        }
    }

    /** What the server still has to say to us must not be read by the program as the answer to its own command. */
    private static void closesWhileTheServerIsSlow(RedisSentinelClient client) throws InterruptedException {
        RedisNode master = group.nodes().stream()
                .filter(node -> node.port() == masterPort)
                .findFirst()
                .orElseThrow();
        Holdfast locks = Holdfast.builder().store(RedisStores.using(client)).build();
        try {
            assertThat(locks.lock("slow").acquire().release()).isTrue();
            master.pause();
            locks.close();
        } finally {
            master.resume();
        }
        for (int i = 0; i < 5; i++) {
            assertThat(client.ping())
                    .as("its connections come back with nothing unread")
                    .isEqualTo("PONG");
        }
    }

    private static void lent(StoreFactory one, StoreFactory other) throws InterruptedException {
        try (Holdfast first = Holdfast.builder().store(one).build();
                Holdfast second = Holdfast.builder().store(other).build()) {
            for (Holdfast each : new Holdfast[] {first, second}) {
                assertThat(each.traits().toString())
                        .as("what a failover loses is told")
                        .contains("Sentinel")
                        .doesNotContain("one server");
            }
            Lease held = first.lock("lent", BRIEF).acquire();
            CompletableFuture<Lease> waiter = second.lock("lent", BRIEF).acquireAsync();
            await().until(() -> first.inspect("lent").orElseThrow().waiters().size() == 1);
            Outcomes.outlives(held, BRIEF);
            assertThat(held.release()).isTrue();
            Lease next = Outcomes.of(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            CompletableFuture<Lease> back = first.lock("lent", BRIEF).acquireAsync();
            await().until(() -> second.inspect("lent").orElseThrow().waiters().size() == 1);
            assertThat(next.release()).isTrue();
            assertThat(Outcomes.of(back).release()).isTrue();
        }
    }

    private static void secure(RedisNode sentinel) {
        sentinel.ask("ACL", "SETUSER", "default", "resetpass", ">" + SENTINELS_PASSWORD);
    }

    private static void use(StoreFactory factory) throws InterruptedException {
        try (Holdfast locks = Holdfast.builder().store(factory).build()) {
            Lease held = locks.lock("taken").acquire();
            assertThat(locks.toString()).doesNotContain(PASSWORD);
            assertThat(masterPort).isPositive();
            assertThat(held.release()).isTrue();
        }
    }
}
