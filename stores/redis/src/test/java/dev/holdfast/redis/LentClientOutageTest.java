package dev.holdfast.redis;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;

/**
 * The outage contract through a client of the program. Its timeouts are those of the calls: nobody can cut a connection that
 * the client is making, and until it gives up, that one has a place in its pool.
 */
@Tag("full")
final class LentClientOutageTest extends OutageContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static final Queue<RedisClient> lent = new ConcurrentLinkedQueue<>();
    private static RedisNode node;
    private static Outages outages;

    @BeforeAll
    static void start() throws InterruptedException {
        node = RedisNode.start(rig, RedisSettings.defaults());
        FaultProxy proxy = FaultProxy.before(rig, node.port());
        outages = new Lending(
                new OneNodeOutages(node, proxy),
                proxy.port(),
                DefaultJedisClientConfig.builder()
                        .timeoutMillis((int) TIMEOUT.toMillis())
                        .build());
    }

    @AfterAll
    static void closeClients() {
        lent.forEach(RedisClient::close);
        lent.clear();
    }

    @Override
    public String url() {
        return node.url();
    }

    @Override
    public Duration commandTimeout() {
        return TIMEOUT;
    }

    @Override
    public Outages outages() {
        return outages;
    }

    /** Every client of Holdfast has a client of Jedis for itself. */
    private record Lending(OneNodeOutages network, int port, JedisClientConfig timeout) implements Outages {
        @Override
        public HoldfastBuilder connect(HoldfastBuilder client) {
            RedisClient jedis = RedisClient.builder()
                    .hostAndPort("127.0.0.1", port)
                    .clientConfig(timeout)
                    .build();
            lent.add(jedis);
            return client.store(RedisStores.using(jedis));
        }

        @Override
        public void begin(Fault fault) throws InterruptedException {
            network.begin(fault);
        }

        @Override
        public void end() throws InterruptedException {
            network.end();
        }

        @Override
        public Map<Fault, String> impossible() {
            return network.impossible();
        }
    }
}
