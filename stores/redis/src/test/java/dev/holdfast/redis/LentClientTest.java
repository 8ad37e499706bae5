package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisError;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;

/** Stores over clients that the program already has. */
final class LentClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));

    /** Behind the eighth field of a line of {@code CLUSTER NODES} come the slots. */
    private static final int FIRST_RANGE = 8;

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void clientOfOneServer() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (RedisClient client = RedisClient.create("127.0.0.1", redis.port())) {
            use(RedisStores.using(client), redis.url());
            assertThat(client.ping()).as("it is still the program's").isEqualTo("PONG");
            assertThat(client.getPool().getNumActive())
                    .as("everything was given back")
                    .isZero();
            redis.restart();
            use(RedisStores.using(client), redis.url());
        }
    }

    @Test
    @SuppressWarnings("deprecation") // Programs that have not moved on to RedisClient have such a pool.
    void poolOfOneServer() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (JedisPool pool = new JedisPool("127.0.0.1", redis.port())) {
            use(RedisStores.using(pool), redis.url());
            assertThat(pool.getNumActive()).isZero();
        }
    }

    @Test
    void clientOfACluster() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        Set<HostAndPort> members = new HashSet<>();
        cluster.nodes().forEach(node -> members.add(new HostAndPort("127.0.0.1", node.port())));
        try (RedisClusterClient client = RedisClusterClient.create(members)) {
            use(RedisStores.using(client), cluster.url());
            assertThat(client.getClusterNodes().values())
                    .allSatisfy(pool -> assertThat(pool.getNumActive()).isZero());
        }
        findsAMemberThatTheClientDoesNotKnow(cluster);
    }

    /** Such a client learns of new members from its own commands only, and its program may have none. */
    private static void findsAMemberThatTheClientDoesNotKnow(RedisCluster cluster) throws InterruptedException {
        List<RedisNode> masters = cluster.nodes().stream()
                .filter(node -> String.valueOf(node.ask("ROLE")).contains("master"))
                .toList();
        RedisNode known = masters.get(0);
        RedisNode unknown = masters.get(1);
        String[] slots = line(unknown, "myself")[FIRST_RANGE].split("-", -1);
        // Its epoch first: then no belated message of the other one takes the slots away from it. But until it has
        // them,
        // such a message may give slots that are nobody's to the other one again.
        known.ask("CLUSTER", "BUMPEPOCH");
        await("the slots are taken over").until(() -> {
            masters.forEach(each -> tries(each, "DELSLOTSRANGE", slots));
            return tries(known, "ADDSLOTSRANGE", slots);
        });
        String owner = String.valueOf(known.ask("CLUSTER", "MYID"));
        await("everybody knows the new owner")
                .until(() -> cluster.nodes().stream()
                        .allMatch(node -> line(node, owner)[line(node, owner).length - 1].endsWith("-" + slots[1])));
        String name = nameIn(Integer.parseInt(slots[0]), Integer.parseInt(slots[1]));
        try (RedisClusterClient client = RedisClusterClient.create(Set.of(new HostAndPort("127.0.0.1", known.port())));
                Holdfast lent =
                        Holdfast.builder().store(RedisStores.using(client)).build()) {
            lent.lock(name).acquire().close();
            assertThat(client.getClusterNodes()).doesNotContainKey("127.0.0.1:" + unknown.port());
            SlotMover mover = new SlotMover(masters);
            int at = 0;
            while (at != 1) {
                at = mover.move(SlotMover.slotOf(name), at, (source, target) -> {});
            }
            await().atMost(Duration.ofSeconds(5))
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> lent.lock(name).tryAcquire().isPresent());
            assertThat(line(unknown, "myself")[FIRST_RANGE]).isEqualTo(Integer.toString(SlotMover.slotOf(name)));
        }
    }

    private static boolean tries(RedisNode node, String change, String[] slots) {
        try {
            node.ask("CLUSTER", change, slots[0], slots[1]);
            return true;
        } catch (RedisError othersThanExpected) {
            return false;
        }
    }

    /** What a member knows of another one, or of itself. */
    private static String[] line(RedisNode node, String word) {
        return String.valueOf(node.ask("CLUSTER", "NODES"))
                .lines()
                .filter(line -> line.contains(word) && line.contains("master"))
                .findFirst()
                .orElseThrow()
                .split(" ", -1);
    }

    private static String nameIn(int first, int last) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "moved/" + i)
                .filter(name -> SlotMover.slotOf(name) >= first && SlotMover.slotOf(name) <= last)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void wrongPasswordAndSilenceAreToldApart() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig, RedisSettings.defaults().withPassword(Secrets.CANARY));
        try (RedisClient client = RedisClient.create("127.0.0.1", redis.port())) {
            assertThatThrownBy(() ->
                            Holdfast.builder().store(RedisStores.using(client)).build())
                    .isInstanceOf(StoreMisconfiguredException.class);
        }
        redis.stop();
        try (RedisClient client = RedisClient.create("127.0.0.1", redis.port())) {
            assertThatThrownBy(() ->
                            Holdfast.builder().store(RedisStores.using(client)).build())
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    private static void use(StoreFactory factory, String url) throws InterruptedException {
        try (Holdfast lent = Holdfast.builder().store(factory).build();
                Holdfast own = Holdfast.connect(url)) {
            Lease held = lent.lock("lent", BRIEF).acquire();
            CompletableFuture<Lease> waiter = own.lock("lent", BRIEF).acquireAsync();
            await().until(() -> lent.inspect("lent").orElseThrow().waiters().size() == 1);
            Outcomes.outlives(held, BRIEF);
            assertThat(held.release()).isTrue();
            Lease second = Outcomes.of(waiter);
            CompletableFuture<Lease> third = lent.lock("lent", BRIEF).acquireAsync();
            await().until(() -> lent.inspect("lent").orElseThrow().waiters().size() == 1);
            assertThat(second.release()).isTrue();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            Outcomes.of(third).onLost(told::complete);
            assertThat(own.evict("lent", "test")).isEqualTo(1);
            assertThat(Outcomes.of(told)).isEqualTo(LossReason.EVICTED);
            assertThat(lent.all("lent/a", "lent/b", "lent/c").tryAcquire(PATIENCE))
                    .isPresent();
            assertThat(own.list("lent/", 10)).hasSize(3);
        }
    }
}
