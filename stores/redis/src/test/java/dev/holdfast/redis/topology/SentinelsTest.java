package dev.holdfast.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.PlainConnection;
import dev.holdfast.redis.wire.PooledServer;
import dev.holdfast.redis.wire.PromotionGuard;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What sentinels say, and whom a promotion lets in. */
final class SentinelsTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisSentinels group;
    private static BareClient client;

    @BeforeAll
    static void start() throws InterruptedException {
        group = RedisSentinels.start(rig, RedisSettings.defaults());
        client = new BareClient(group.url());
    }

    @AfterAll
    static void close() {
        client.close();
    }

    @Test
    void addressAndEpochBelongTogetherAtEveryMomentOfAFailover() throws InterruptedException {
        Map<Long, Set<HostAndPort>> told = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> askers = group.sentinels().stream()
                .map(each -> new Thread(() -> {
                    Sentinels one = sentinels(List.of(each));
                    while (!over.get()) {
                        Promotion promotion = one.ask(soon());
                        told.computeIfAbsent(promotion.generation(), any -> ConcurrentHashMap.newKeySet())
                                .add(promotion.master());
                    }
                }))
                .toList();
        askers.forEach(Thread::start);
        group.failOver();
        over.set(true);
        for (Thread asker : askers) {
            asker.join();
        }

        assertThat(told).as("before and after").hasSizeGreaterThan(1);
        assertThat(told.values()).as("one master for each promotion").allMatch(masters -> masters.size() == 1);
    }

    @Test
    void sentinelThatIsBehindIsOutvoted() throws InterruptedException {
        // It hears of nothing while it sleeps, and whoever asks it first must not believe it.
        RedisNode behind = group.sentinels().get(2);
        Promotion before = sentinels(List.of(behind)).ask(soon());
        behind.pause();
        try {
            group.sentinels().get(0).ask("SENTINEL", "FAILOVER", group.masterName());
            Sentinels all = sentinels(group.sentinels());
            Map<Long, HostAndPort> told = new HashMap<>();
            while (told.size() < 2) {
                Promotion promotion = all.ask(soon());
                told.put(promotion.generation(), promotion.master());
            }
            // Most of them know it when the others have heard of it too.
            Sentinels other = sentinels(List.of(group.sentinels().get(1)));
            while (other.ask(soon()).generation() == before.generation()) {
                Thread.onSpinWait();
            }
            behind.resume();
            for (int i = 0; i < 20; i++) {
                assertThat(all.ask(soon()).generation()).isGreaterThan(before.generation());
            }
        } finally {
            behind.resume();
        }
        group.awaitSettled();
    }

    @Test
    void connectionIsLetInOnlyInItsPromotion() throws InterruptedException {
        RedisNode node = RedisNode.start(rig);
        RedisNode upstream = RedisNode.start(rig);
        PromotionGuard guard = new PromotionGuard();
        guard.expect(replicationId(node));
        admit(guard, node);
        assertThat(guard.isOver()).isFalse();
        node.ask("REPLICAOF", "127.0.0.1", Integer.toString(upstream.port()));
        assertThatThrownBy(() -> admit(guard, node)).isInstanceOf(BrokenExchange.class);
        node.ask("REPLICAOF", "NO", "ONE");

        assertThatThrownBy(() -> admit(guard, node))
                .as("the same server, but another promotion")
                .isInstanceOf(BrokenExchange.class);
        assertThat(guard.isOver()).isTrue();
    }

    private static void admit(PromotionGuard guard, RedisNode node) {
        Connection connection = PlainConnection.to(node.port());
        try {
            guard.admit(connection);
        } finally {
            connection.cut();
        }
    }

    private static String replicationId(RedisNode node) {
        return String.valueOf(node.ask("INFO", "replication"))
                .lines()
                .filter(line -> line.startsWith("master_replid:"))
                .findFirst()
                .orElseThrow()
                .substring("master_replid:".length());
    }

    private static Sentinels sentinels(List<RedisNode> nodes) {
        StoreUri uri = StoreUri.parse(group.url(), Map.of(), null);
        StoreContext context = client.context();
        ConnectionSettings settings = ConnectionSettings.of(
                        Address.of(uri), Settings.of(uri, context), uri, Access.BY_URL)
                .forSentinels(uri, Access.BY_URL);
        OverdueWatch watch = new OverdueWatch(context, settings.lookInterval());
        List<Server> servers = nodes.stream()
                .<Server>map(each -> new PooledServer(
                        new HostAndPort("127.0.0.1", each.port()),
                        settings,
                        context.clock(),
                        new Clocks(context.clock()),
                        watch))
                .toList();
        return new Sentinels(servers, group.masterName(), command -> new Thread(command).start());
    }

    private static Deadline soon() {
        return Deadline.in(client.context().clock(), client.context().commandTimeout());
    }
}
