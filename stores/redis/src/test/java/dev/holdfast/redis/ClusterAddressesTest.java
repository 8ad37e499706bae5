package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/** A cluster whose members call themselves by names that lead nowhere, as those in containers do. */
final class ClusterAddressesTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisCluster cluster;
    private static String seed;

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = RedisCluster.start(rig, RedisSettings.defaults());
        for (RedisNode node : cluster.nodes()) {
            node.ask("CONFIG", "SET", "cluster-announce-hostname", hidden(node));
            node.ask("CONFIG", "SET", "cluster-preferred-endpoint-type", "hostname");
        }
        seed = "redis+cluster://127.0.0.1:" + cluster.nodes().get(0).port();
        await("all know each other's names")
                .atMost(Duration.ofSeconds(30))
                .until(() -> cluster.nodes().stream()
                        .allMatch(asked -> cluster.nodes().stream()
                                .allMatch(node -> String.valueOf(asked.ask("CLUSTER", "NODES"))
                                        .contains(hidden(node)))));
    }

    @Test
    void membersCannotBeReachedByTheirNames() {
        assertThatThrownBy(() -> use(RedisStores.at(seed).withOption("timeout", "500ms")))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void namesAreMappedByAnOption() throws InterruptedException {
        String servers = cluster.nodes().stream()
                .map(node -> hidden(node) + ":" + node.port() + "=127.0.0.1:" + node.port())
                .collect(Collectors.joining(","));
        use(RedisStores.at(seed).withOption("addressMap", servers));
        String hosts = cluster.nodes().stream()
                .map(node -> hidden(node) + "=127.0.0.1")
                .collect(Collectors.joining(","));
        use(RedisStores.at(seed + "#addressMap=" + hosts));
        for (String wrong : List.of("one", "one=", "one:1=two", "one:x=two:1", "=")) {
            assertThatThrownBy(() -> Holdfast.connect(seed + "#addressMap=" + wrong))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("addressMap");
        }
    }

    @Test
    void namesAreMappedByTheProgram() throws InterruptedException {
        use(RedisStores.at(seed)
                .withAddresses(told -> told.getHostString().endsWith(".invalid")
                        ? new InetSocketAddress("127.0.0.1", told.getPort())
                        : told));
    }

    @Test
    void clientOfLettuceWhoseSettingsAreTakenOver() throws InterruptedException {
        List<RedisURI> seeds = new ArrayList<>();
        cluster.nodes().forEach(node -> seeds.add(RedisURI.create("127.0.0.1", node.port())));
        RedisClusterClient client = RedisClusterClient.create(seeds);
        try {
            use(RedisStores.fromLettuce(client)
                    .withAddresses(told -> new InetSocketAddress("127.0.0.1", told.getPort())));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void clientOfJedisThatMapsByItself() throws InterruptedException {
        try (redis.clients.jedis.RedisClusterClient client = redis.clients.jedis.RedisClusterClient.builder()
                .nodes(Set.of(
                        new HostAndPort("127.0.0.1", cluster.nodes().get(0).port())))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .hostAndPortMapper(told -> new HostAndPort("127.0.0.1", told.getPort()))
                        .build())
                .build()) {
            use(RedisStores.using(client));
        }
    }

    private static String hidden(RedisNode node) {
        return "member-" + node.port() + ".invalid";
    }

    /** Names on all members. */
    private static void use(StoreFactory factory) throws InterruptedException {
        try (Holdfast locks = Holdfast.builder().store(factory).build()) {
            for (int i = 0; i < 30; i++) {
                Lease lease = locks.lock("mapped/" + i).acquire();
                assertThat(lease.release()).isTrue();
            }
        }
    }
}
