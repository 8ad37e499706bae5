package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Slots that fail over, move, and are spread over servers. */
final class ClusterFailoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));
    private static final LockOptions CALM = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20));

    private static final int MANY = Integer.getInteger("holdfast.failovers", 20);

    @RegisterExtension
    final Rig rig = new Rig();

    private RedisCluster cluster;
    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeEach
    void start() throws InterruptedException {
        cluster = RedisCluster.start(rig, RedisSettings.defaults());
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
    }

    @Test
    void locksGoOnAndTokensStayInOrderUnderLoad() throws InterruptedException {
        try (Traffic traffic = new Traffic(cluster.url(), "busy", 3)) {
            await().atMost(PATIENCE).until(() -> traffic.count() > 100);
            RedisNode first = cluster.masterOf("holdfast:{busy}");
            RedisNode second = cluster.failOver(first);
            int afterFirst = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > afterFirst + 100);
            cluster.holdReplica(second);
            int whileHeld = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > whileHeld + 100);
            cluster.loseMaster(second);
            int afterSecond = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > afterSecond + 100);
            traffic.endAndCheckByGeneration(2);
        }
    }

    @Test
    @Tag("full")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void manyFailoversUnderLoadRepeatNoToken() throws InterruptedException {
        try (Traffic traffic = new Traffic(cluster.url(), "busier", 4)) {
            for (int i = 0; i < MANY; i++) {
                int before = traffic.count();
                await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
                cluster.failOver(cluster.masterOf("holdfast:{busier}"));
            }
            int before = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
            traffic.endAndCheckByGeneration(MANY);
            System.out.println(MANY + " failovers of a slot: " + traffic);
        }
    }

    @Test
    void failoverThatLosesTheLastWritesDoesNotRepeatATokenAndOtherSlotsAreNotDisturbed() throws InterruptedException {
        serveWhatIsThere();
        Holdfast locks = client();
        locks.lock("lost").acquire().close();
        RedisNode master = cluster.masterOf("holdfast:{lost}");
        String elsewhere = nameElsewhere(master);
        Lease undisturbed = locks.lock(elsewhere, BRIEF).acquire();
        cluster.holdReplica(master);
        long largest = 0;
        for (int i = 0; i < 20; i++) {
            Lease lease = locks.lock("lost", CALM).acquire();
            largest = Math.max(largest, lease.token());
            lease.close();
        }
        Lease forgotten = locks.lock("lost", BRIEF).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        forgotten.onLost(told::complete);
        cluster.loseMaster(master);

        assertThat(Outcomes.of(told)).isEqualTo(LossReason.EXPIRED);
        assertThat(locks.lock("lost").tryAcquire(PATIENCE).orElseThrow().token())
                .isGreaterThan(Math.max(largest, forgotten.token()));
        assertThat(undisturbed.isHeld()).as("renewed all the time").isTrue();
    }

    @Test
    @Tag("full")
    void waiterOnASlotThatAnswersIsNotHeldUpByOneThatDoesNot() throws InterruptedException {
        serveWhatIsThere();
        Holdfast locks = client();
        Holdfast others = client();
        RedisNode doomed = cluster.masterOf("holdfast:{dark}");
        String bright = nameElsewhere(doomed);
        Lease inTheDark = locks.lock("dark", CALM).acquire();
        Lease inTheLight = locks.lock(bright, CALM).acquire();
        CompletableFuture<Lease> dark = others.lock("dark", CALM).acquireAsync();
        CompletableFuture<Lease> light = others.lock(bright, CALM).acquireAsync();
        await().until(() -> waiters(locks, "dark") == 1 && waiters(locks, bright) == 1);
        cluster.holdReplica(doomed);
        doomed.pause();
        assertThat(inTheLight.release()).isTrue();

        assertThat(Outcomes.of(light).isHeld()).isTrue();
        assertThat(dark).isNotDone();
        assertThat(inTheDark.isHeld()).isTrue();
        doomed.resume();
        cluster.replicaOf(doomed).resume();
    }

    @Test
    void severalNamesOnDifferentServersAreHeldAllOrNothing() throws InterruptedException {
        List<String> names = IntStream.range(0, 12).mapToObj(i -> "spread/" + i).toList();
        assertThat(names.stream()
                        .map(name -> cluster.masterOf("holdfast:{" + name + "}").port())
                        .distinct())
                .as("the names are on all three masters")
                .hasSize(3);
        Holdfast locks = client();
        Holdfast others = client();
        assertThat(locks.traits().promises(Promise.ATOMIC_NAMES)).isFalse();
        DistributedLock all = locks.all(names, CALM);
        Lease lease = all.acquire();
        for (String name : names) {
            assertThat(others.lock(name).tryAcquire()).as(name).isEmpty();
        }
        assertThat(others.list("spread/", 100))
                .extracting(LockView::name)
                .containsExactlyElementsOf(names.stream().sorted().toList());
        assertThat(others.list("spread/", 3)).hasSize(3);
        CompletableFuture<Lease> waiter = others.all(names, CALM).acquireAsync();
        await().until(() -> waiters(locks, "spread/0") == 1);
        assertThat(lease.release()).isTrue();
        assertThat(Outcomes.of(waiter).release()).isTrue();

        Lease last = others.lock(names.get(11)).acquire();
        assertThat(all.tryAcquire()).isEmpty();
        for (String name : names.subList(0, 11)) {
            assertThat(others.lock(name).tryAcquire()).as(name).isPresent();
        }
        assertThat(last.isHeld()).isTrue();
    }

    @Test
    void namesThatAreKeptWhileWaitingForAnotherAreRenewed() throws InterruptedException {
        Holdfast locks = client();
        Holdfast others = client();
        Lease blocking = others.lock("kept/b", CALM).acquire();
        CompletableFuture<Lease> both =
                locks.all(List.of("kept/a", "kept/b"), BRIEF).acquireAsync();
        await().until(() -> waiters(others, "kept/b") == 1);
        long firstToken = token(others, "kept/a");
        long until = System.nanoTime() + BRIEF.leaseTime().multipliedBy(3).toNanos();
        await().atMost(PATIENCE).until(() -> System.nanoTime() - until > 0);

        assertThat(token(others, "kept/a")).as("held all the time").isEqualTo(firstToken);
        blocking.close();
        assertThat(Outcomes.of(both).token("kept/a")).isEqualTo(firstToken);
    }

    @Test
    @Tag("full")
    void slotOnTheMoveIsFollowed() throws InterruptedException {
        Holdfast locks = client();
        String key = "holdfast:{moving}";
        String slot = Integer.toString(JedisClusterCRC16.getSlot(key));
        RedisNode from = cluster.masterOf(key);
        RedisNode to = cluster.masterOf("holdfast:{" + nameElsewhere(from) + "}");
        Lease held = locks.lock("moving", BRIEF).acquire();
        to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
        from.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
        assertThat(client().lock("moving").tryAcquire())
                .as("the key is still at its source")
                .isEmpty();
        from.ask("MIGRATE", "127.0.0.1", Integer.toString(to.port()), key, "0", "5000");
        assertThat(client().lock("moving").tryAcquire())
                .as("the key is at its target")
                .isEmpty();
        Duration before = held.remaining();
        await().atMost(PATIENCE).until(() -> held.remaining().compareTo(before) > 0);
        for (RedisNode node : List.of(to, from)) {
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", id(to));
        }
        assertThat(client().lock("moving").tryAcquire())
                .as("the slot is at its target")
                .isEmpty();

        assertThat(held.release()).isTrue();
        assertThat(locks.lock("moving").tryAcquire().orElseThrow().token()).isGreaterThan(held.token());
    }

    @Test
    void serverThatIsNoClusterIsAMisconfiguration() throws InterruptedException {
        RedisNode single = RedisNode.start(rig);
        assertThatThrownBy(() -> Holdfast.connect("redis+cluster://127.0.0.1:" + single.port()))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("cluster");
    }

    private static int waiters(Holdfast locks, String name) {
        return locks.inspect(name).orElseThrow().waiters().size();
    }

    private static long token(Holdfast locks, String name) {
        return locks.inspect(name).orElseThrow().holders().get(0).token();
    }

    /** By default Redis ends all service while one slot has nobody to answer for it. */
    private void serveWhatIsThere() {
        cluster.nodes().forEach(node -> node.ask("CONFIG", "SET", "cluster-require-full-coverage", "no"));
    }

    private String nameElsewhere(RedisNode node) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "elsewhere/" + i)
                .filter(name -> cluster.masterOf("holdfast:{" + name + "}").port() != node.port())
                .findFirst()
                .orElseThrow();
    }

    private static String id(RedisNode node) {
        return String.valueOf(node.ask("CLUSTER", "MYID"));
    }

    private Holdfast client() {
        Holdfast client = Holdfast.connect(cluster.url());
        clients.add(client);
        return client;
    }
}
