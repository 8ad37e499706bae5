package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Endpoints that fail over, lead elsewhere, or say nothing. */
final class EndpointsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** One command timeout, and something for a busy machine, but clearly less than two. */
    private static final Duration BUDGET = TIMEOUT.plus(Duration.ofMillis(1500));

    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3));

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void nameThatLeadsToAReplicaIsFollowedToTheNewMaster() throws InterruptedException {
        RedisNode node = RedisNode.start(rig);
        RedisNode upstream = RedisNode.start(rig);
        try (Holdfast locks = client(node.url());
                Holdfast others = client(node.url())) {
            warm(locks, 8);
            Lease held = others.lock("waited").acquire();
            CompletableFuture<Lease> waiter = locks.lock("waited").acquireAsync();
            long before = connections(node);
            node.ask("REPLICAOF", "127.0.0.1", Integer.toString(upstream.port()));
            assertThatThrownBy(() -> locks.lock("refused").tryAcquire()).isInstanceOf(StoreUnavailableException.class);

            // Nobody closes the old connections: whoever keeps them would go on asking the old master.
            await().untilAsserted(() -> assertThat(connections(node) - 1)
                    .as("idle connections and subscriptions that were kept")
                    .isLessThan(before - 8));
            node.ask("REPLICAOF", "NO", "ONE");
            await().ignoreExceptionsInstanceOf(HoldfastException.class)
                    .until(() -> locks.lock("free").tryAcquire().isPresent());
            held.release();
            Outcomes.of(waiter).release();
        }
    }

    @Test
    void memberOfAClusterIsAMisconfigurationThatNamesTheRightScheme() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        String url = "redis://127.0.0.1:" + cluster.nodes().get(0).port();
        try (Holdfast locks = Holdfast.builder().url(url).lazy(true).build()) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            locks.lock("slot/" + i).tryAcquire();
                        }
                    })
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("redis+cluster://");
        }
    }

    @Test
    void oddMessagesDoNotEndListening() throws InterruptedException {
        RedisNode node = RedisNode.start(rig);
        try (Holdfast locks = client(node.url());
                Holdfast others = client(node.url())) {
            for (String odd : List.of("", "G", "W1", "Lxx", "\u0000", "something else")) {
                for (Object channel : (List<?>) node.ask("PUBSUB", "CHANNELS", "*")) {
                    node.ask("PUBLISH", String.valueOf(channel), odd);
                }
            }
            LockOptions calm = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(1));
            Lease held = others.lock("odd", calm).acquire();
            CompletableFuture<Lease> waiter = locks.lock("odd", calm).acquireAsync();
            await().until(() -> others.inspect("odd").orElseThrow().waiters().size() == 1);
            held.release();

            assertThat(Outcomes.of(waiter).release()).isTrue();
            assertThat((List<?>) node.ask("PUBSUB", "CHANNELS", "*")).hasSize(2);
        }
    }

    @Test
    void idleConnectionsThatWereCutInSilenceCostOneTimeoutAtMost() throws InterruptedException {
        RedisNode node = RedisNode.start(rig);
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast locks = client("redis://127.0.0.1:" + network.port())) {
            warm(locks, 8);
            network.abandon();
            int failures = 0;
            for (int i = 0; i < 20; i++) {
                try {
                    locks.lock("after/" + i).tryAcquire().orElseThrow().release();
                } catch (StoreUnavailableException unanswered) {
                    failures++;
                }
            }

            assertThat(failures).as("the others have learned from the first").isLessThanOrEqualTo(1);
        }
    }

    @Test
    void masterIsUsedWhileNoSentinelAnswers() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        try (Holdfast locks = client(group.url())) {
            Lease held = locks.lock("kept", BRIEF).acquire();
            for (RedisNode sentinel : group.sentinels()) {
                sentinel.kill();
            }
            Outcomes.outlives(held, BRIEF);
            Outcomes.outlives(held, BRIEF);

            assertThat(locks.lock("new").tryAcquire()).isPresent();
            assertThat(held.release()).isTrue();
        } finally {
            for (RedisNode sentinel : group.sentinels()) {
                sentinel.start();
            }
        }
    }

    @Test
    void anyNumberOfSilentMembersCostsOneTimeout() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        try (Holdfast locks = client(cluster.url())) {
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                held.add(locks.lock("held/" + i, BRIEF).acquire());
            }
            for (RedisNode node : cluster.nodes()) {
                node.pause();
            }
            try {
                List<CompletableFuture<Duration>> calls = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    String name = "silent/" + i;
                    calls.add(CompletableFuture.supplyAsync(
                            () -> timeOf(() -> locks.lock(name).tryAcquire()), task -> new Thread(task).start()));
                }
                List<Duration> times = new ArrayList<>();
                for (CompletableFuture<Duration> call : calls) {
                    times.add(Outcomes.of(call));
                }
                assertThat(times).allMatch(time -> time.compareTo(BUDGET) < 0);
            } finally {
                for (RedisNode node : cluster.nodes()) {
                    node.resume();
                }
            }
            await().ignoreExceptionsInstanceOf(HoldfastException.class)
                    .until(() -> locks.lock("again").tryAcquire().isPresent());
        }
    }

    private static Duration timeOf(Runnable call) {
        long begin = System.nanoTime();
        try {
            call.run();
        } catch (StoreUnavailableException expected) {
            // It is the time that matters.
            return Duration.ofNanos(System.nanoTime() - begin);
        }
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static Holdfast client(String url) {
        return Holdfast.builder().url(url).commandTimeout(TIMEOUT).build();
    }

    /** Has many connections in use at a time, so that all of them are open. */
    private static void warm(Holdfast locks, int threads) throws InterruptedException {
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String name = "warm/" + i;
            Thread user = new Thread(() -> {
                for (int j = 0; j < 300; j++) {
                    locks.lock(name).tryAcquire().orElseThrow().release();
                }
            });
            user.start();
            users.add(user);
        }
        for (Thread user : users) {
            user.join();
        }
    }

    private static long connections(RedisNode node) {
        return String.valueOf(node.ask("CLIENT", "LIST"))
                .lines()
                .filter(line ->
                        !line.contains("cmd=client|list") && !line.contains("flags=M") && !line.contains("flags=S"))
                .count();
    }
}
